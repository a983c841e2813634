"""Scoring rubrics as data: what a rubric says, vignette keys, and raters' scoring sheets.

A rubric is one YAML file; the two of the project lie beside this module. Nothing here knows of a
particular rubric, of tables or of reports.
"""
