"""Verdict Atlas: columnar analytics and reporting over evaluation results."""

__version__ = "0.1.0"
