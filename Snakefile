"""Verdict Atlas: raw verdicts -> derived tables -> figures -> site.

Targets: report (the default), tables, figures, publish.
"""


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/ingest.smk"
include: "rules/derive.smk"
include: "rules/figures.smk"
include: "rules/reports.smk"


localrules:
    tables,
    figures,
    report,
    publish,


onsuccess:
    say_what_was_built()


onerror:
    explain_failures()
