"""The sections of a benchmark's report: each function returns the Markdown of what it shows."""
