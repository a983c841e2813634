"""Scorers: raw model responses in, raw verdict files out, for benchmarks that define one.

A scorer is deterministic and knows nothing of the tables and reports that are made from its verdicts.
"""
