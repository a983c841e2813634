"""Other tools' native logs to the raw contract; one module per format, nothing of statistics."""
