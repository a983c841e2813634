"""Estimates, intervals and tests: arrays in, frozen result objects out; no I/O and no data frames."""
