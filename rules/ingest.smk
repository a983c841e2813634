"""Raw files in, validated tables out."""


rule simulate_demo:
    """Write the simulated demonstration benchmark."""
    input:
        code=code_of("analysis.demo.simulate", "analysis.rule"),
    output:
        card=f"{RAW}/demo/benchmark.yaml",
    log:
        f"{LOGS}/simulate_demo.log",
    conda:
        "../environment.yml"
    script:
        "scripts/simulate_demo.py"


rule reconstruct_odbb:
    """Write the reconstruction of the ODBB paper's verdicts from its published aggregates."""
    input:
        code=code_of("analysis.demo.odbb.write", "analysis.rule"),
    output:
        card=f"{RAW}/odbb/benchmark.yaml",
    log:
        f"{LOGS}/reconstruct_odbb.log",
    conda:
        "../environment.yml"
    script:
        "scripts/reconstruct_odbb.py"


rule reconstruct_npcbench:
    """Write the reconstruction of the NPCBench paper's answers from its published aggregates."""
    input:
        code=code_of("analysis.demo.npcbench.write", "analysis.rule"),
    output:
        card=f"{RAW}/npcbench/benchmark.yaml",
    log:
        f"{LOGS}/reconstruct_npcbench.log",
    conda:
        "../environment.yml"
    script:
        "scripts/reconstruct_npcbench.py"


rule simulate_rubric:
    """Write the simulated benchmark of responses rated with a rubric."""
    input:
        code=code_of("analysis.demo.rubric.write", "analysis.rule"),
    output:
        card=f"{RAW}/rubric/benchmark.yaml",
    log:
        f"{LOGS}/simulate_rubric.log",
    conda:
        "../environment.yml"
    script:
        "scripts/simulate_rubric.py"


rule ingest_benchmark:
    """Read, validate and write the raw tables; refuse what breaks the raw contract."""
    input:
        raw=raw_inputs,
        code=code_of("analysis.ingest.benchmark", *DERIVE_MODULES),
    output:
        card=CARD,
        tables=VALIDATED,
        audit=table("audit"),
    log:
        f"{LOGS}/ingest_benchmark/{{benchmark}}.log",
    conda:
        "../environment.yml"
    params:
        folder=f"{RAW}/{{benchmark}}",
        # A change of the statistics or of the leniency re-runs what depends on it.
        config=PLAN.config.model_dump(mode="json", include={"statistics", "lenient"}),
    script:
        "scripts/ingest_benchmark.py"
