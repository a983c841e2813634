"""Tables and figures in, static site out."""

PAGE_SOURCES = sorted(
    str(p)
    for p in Path("reports").glob("**/*")
    if p.is_file() and "_site" not in p.parts
)
PAGE_MODULES = (
    "analysis.reporting.render",
    "analysis.reporting.sections",
    "analysis.rule",
)


rule write_leaderboard:
    """Write the sortable leaderboard of a benchmark, with its CSV and JSON."""
    input:
        tables=lambda wildcards: derived_tables(wildcards.benchmark),
        card=CARD,
        sources=PAGE_SOURCES,
        code=code_of("analysis.reporting.leaderboard", "analysis.rule"),
    output:
        page=f"{SITE}/{{benchmark}}/leaderboard.html",
        csv=f"{SITE}/{{benchmark}}/leaderboard.csv",
        json=f"{SITE}/{{benchmark}}/leaderboard.json",
    log:
        f"{LOGS}/write_leaderboard/{{benchmark}}.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
    script:
        "scripts/write_leaderboard.py"


rule write_items:
    """Write the list of a benchmark's items and their pages."""
    input:
        tables=lambda wildcards: derived_tables(wildcards.benchmark),
        card=CARD,
        validated=VALIDATED,
        sources=PAGE_SOURCES,
        code=code_of("analysis.reporting.items.write", "analysis.rule"),
    output:
        page=f"{SITE}/{{benchmark}}/items.html",
        places=f"{SITE}/{{benchmark}}/items.json",
        pages=directory(f"{SITE}/{{benchmark}}/items"),
    log:
        f"{LOGS}/write_items/{{benchmark}}.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
    script:
        "scripts/write_items.py"


rule render_report:
    """Render the report of a benchmark."""
    input:
        tables=lambda wildcards: derived_tables(wildcards.benchmark),
        places=f"{SITE}/{{benchmark}}/items.json",
        figures=f"{FIGURES}/{{benchmark}}/index.json",
        card=CARD,
        sources=PAGE_SOURCES,
        code=code_of(*PAGE_MODULES),
    output:
        page=f"{SITE}/{{benchmark}}/index.html",
    log:
        f"{LOGS}/render_report/{{benchmark}}.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
    script:
        "scripts/render_page.py"


rule render_index:
    """Render the first page: a card per benchmark."""
    input:
        tables=[derived_tables(benchmark) for benchmark in BENCHMARKS],
        sources=PAGE_SOURCES,
        code=code_of("analysis.reporting.index", *PAGE_MODULES),
    output:
        page=f"{SITE}/index.html",
    log:
        f"{LOGS}/render_index.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
        benchmarks=BENCHMARKS,
    script:
        "scripts/render_page.py"


rule render_methods:
    """Render the page on methods."""
    input:
        sources=PAGE_SOURCES,
        code=code_of(*PAGE_MODULES),
    output:
        page=f"{SITE}/methods.html",
    log:
        f"{LOGS}/render_methods.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
    script:
        "scripts/render_page.py"


rule publish:
    """Copy the site to the configured folder or branch; nothing is pushed unless the configuration says so."""
    input:
        rules.render_index.output,
        rules.render_methods.output,
        expand(
            f"{SITE}/{{benchmark}}/{{page}}.html",
            benchmark=BENCHMARKS,
            page=["index", "leaderboard", "items"],
        ),
        code=code_of("analysis.reporting.publish", "analysis.rule"),
    log:
        f"{LOGS}/publish.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
    script:
        "scripts/publish.py"


rule report:
    """Build everything: tables, figures, site (the default target)."""
    default_target: True
    input:
        rules.tables.input,
        rules.figures.input,
        rules.render_index.output,
        rules.render_methods.output,
        expand(
            f"{SITE}/{{benchmark}}/{{page}}.html",
            benchmark=BENCHMARKS,
            page=["index", "leaderboard", "items"],
        ),
