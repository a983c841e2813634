"""From staged samples to a benchmark's folder: choices, resolution, conversion, writing; no log is read here."""
