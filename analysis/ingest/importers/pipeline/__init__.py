"""From staged samples to a benchmark's folder: choices, resolution, conversion, writing; reads no log."""
