"""Calibration of what is said of ranks by a composite."""
