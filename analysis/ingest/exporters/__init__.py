"""A benchmark's verdicts for other tools, so that importing them again gives the same verdicts."""
