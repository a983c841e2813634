"""Derived tables in, figures out."""


rule draw_figures:
    """Draw every figure that the tables support: Vega-Lite, SVG (light and dark), PNG, PDF."""
    input:
        tables=lambda wildcards: derived_tables(wildcards.benchmark),
        card=CARD,
        validated=VALIDATED,
        code=code_of("analysis.figures", *DERIVE_MODULES),
    output:
        index=f"{FIGURES}/{{benchmark}}/index.json",
    log:
        f"{LOGS}/draw_figures/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/draw_figures.py"


rule figures:
    """Draw the figures of every benchmark."""
    input:
        expand(f"{FIGURES}/{{benchmark}}/index.json", benchmark=BENCHMARKS),
