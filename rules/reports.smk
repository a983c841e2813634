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
RUBRIC_PAGES = expand(
    f"{SITE}/{{benchmark}}/items/index.html",
    benchmark=PLAN.with_table("rubric_scores"),
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


rule write_rubric_pages:
    """Write a page per vignette of a rubric: its key, scores side by side, every rater's notes."""
    input:
        tables=lambda wildcards: derived_tables(wildcards.benchmark),
        card=CARD,
        sources=PAGE_SOURCES,
        code=code_of("analysis.reporting.rubric_pages", "analysis.rule"),
    output:
        index=f"{SITE}/{{benchmark}}/items/index.html",
    log:
        f"{LOGS}/write_rubric_pages/{{benchmark}}.log",
    conda:
        "../environment.yml"
    params:
        config=PLAN.config.model_dump(mode="json"),
    script:
        "scripts/write_rubric_pages.py"


rule render_report:
    """Render the report of a benchmark."""
    input:
        tables=lambda wildcards: derived_tables(wildcards.benchmark),
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
            page=["index", "leaderboard"],
        ),
        RUBRIC_PAGES,
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
            page=["index", "leaderboard"],
        ),
        RUBRIC_PAGES,
