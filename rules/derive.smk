"""Validated tables in, derived tables out: one rule per table or small family."""


rule score_models:
    """Estimate every metric and rate of every model, with intervals."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.model_scores", *DERIVE_MODULES),
    output:
        model_scores=table("model_scores"),
    log:
        f"{LOGS}/score_models/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule count_items:
    """Count how many models solve each item."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.counts", *DERIVE_MODULES),
    output:
        item_counts=table("item_counts"),
        count_distribution=table("count_distribution"),
        unique_solves=table("unique_solves"),
    log:
        f"{LOGS}/count_items/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule cover_items:
    """Cover the items by ensembles, greedily and at the exact optimum."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.coverage", *DERIVE_MODULES),
    output:
        coverage=table("coverage"),
    log:
        f"{LOGS}/cover_items/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_verdicts:
    """Compare the verdicts of every pair of models."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.concordance", *DERIVE_MODULES),
    output:
        concordance=table("concordance"),
    log:
        f"{LOGS}/compare_verdicts/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_models:
    """Test every pair of models; assign tiers, letters, rank intervals, best set."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.comparisons", *DERIVE_MODULES),
    output:
        pairwise_tests=table("pairwise_tests"),
        adjusted_tests=table("adjusted_tests"),
        omnibus=table("omnibus"),
        tiers=table("tiers"),
    log:
        f"{LOGS}/compare_models/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule count_labels:
    """Count failure labels."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.labels", *DERIVE_MODULES),
    output:
        failure_labels=table("failure_labels"),
    log:
        f"{LOGS}/count_labels/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule count_decisions:
    """Count decisions."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.decisions", *DERIVE_MODULES),
    output:
        decisions=table("decisions"),
    log:
        f"{LOGS}/count_decisions/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule stratify_scores:
    """Break scores down by item columns."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.strata", *DERIVE_MODULES),
    output:
        strata=table("strata"),
    log:
        f"{LOGS}/stratify_scores/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule price_models:
    """Find where each model's cost comes from."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.costs", *DERIVE_MODULES),
    output:
        costs=table("costs"),
    log:
        f"{LOGS}/price_models/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule trace_frontier:
    """Trace the cost-performance frontier."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.frontier", *DERIVE_MODULES),
    output:
        frontier=table("frontier"),
    log:
        f"{LOGS}/trace_frontier/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_policies:
    """Rank the models under each policy for missing cells."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.policies", *DERIVE_MODULES),
    output:
        policies=table("policies"),
    log:
        f"{LOGS}/compare_policies/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_raters:
    """Compare every pair of raters."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.agreement", *DERIVE_MODULES),
    output:
        agreement=table("agreement"),
        agreement_statistics=table("agreement_statistics"),
    log:
        f"{LOGS}/compare_raters/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule assess_reliability:
    """Assess how far all raters of a kind agree, and describe each rater."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.reliability", *DERIVE_MODULES),
    output:
        reliability=table("reliability"),
        raters=table("raters"),
    log:
        f"{LOGS}/assess_reliability/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule correct_judges:
    """Correct judges' labels by the human ones."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.judge_correction", *DERIVE_MODULES),
    output:
        judge_correction=table("judge_correction"),
    log:
        f"{LOGS}/correct_judges/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule plan_comparisons:
    """Find what each comparison can detect and how many items would detect more."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.planning", *DERIVE_MODULES),
    output:
        planning=table("planning"),
        planning_items=table("planning_items"),
    log:
        f"{LOGS}/plan_comparisons/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule assess_runs:
    """Assess repeated runs: pass@k, pass^k and the noise of runs against that of items."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.repeated_runs", *DERIVE_MODULES),
    output:
        repeated_runs=table("repeated_runs"),
        run_noise=table("run_noise"),
    log:
        f"{LOGS}/assess_runs/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule combine_models:
    """Measure ensembles in and out of sample and share coverage out among the models."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.ensembles", *DERIVE_MODULES),
    output:
        ensembles=table("ensembles"),
        coverage_shares=table("coverage_shares"),
    log:
        f"{LOGS}/combine_models/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule vary_denominators:
    """Rank the models under every policy for cells without a score and compare the rankings."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.denominators", *DERIVE_MODULES),
    output:
        denominators=table("denominators"),
        rank_agreement=table("rank_agreement"),
    log:
        f"{LOGS}/vary_denominators/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule leave_parts_out:
    """Rank the models without each track and without each cluster."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.influence", *DERIVE_MODULES),
    output:
        influence=table("influence"),
        rank_stability=table("rank_stability"),
    log:
        f"{LOGS}/leave_parts_out/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule audit_data:
    """Audit the data: what is missing, excluded, ragged, unpriced, unlabelled or odd."""
    input:
        card=CARD,
        tables=VALIDATED,
        audit=table("audit"),
        code=code_of("analysis.tables.data_quality", *DERIVE_MODULES),
    output:
        data_quality=table("data_quality"),
    log:
        f"{LOGS}/audit_data/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule describe_behaviour:
    """Describe behaviour: versions, specialties, decisiveness, flags, scores of unsolved items, clusters."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.behaviour", *DERIVE_MODULES),
    output:
        decisiveness=table("decisiveness"),
        flag_outcomes=table("flag_outcomes"),
        model_clusters=table("model_clusters"),
        rank_shifts=table("rank_shifts"),
        score_distribution=table("score_distribution"),
        score_summaries=table("score_summaries"),
        specialties=table("specialties"),
        threshold_sensitivity=table("threshold_sensitivity"),
        version_changes=table("version_changes"),
    log:
        f"{LOGS}/describe_behaviour/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule review_outcomes:
    """Break agreement with reviewers down by verdict class, and count their labels."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.review_outcomes", *DERIVE_MODULES),
    output:
        agreement_by_class=table("agreement_by_class"),
        rating_labels=table("rating_labels"),
    log:
        f"{LOGS}/review_outcomes/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule join_episodes:
    """Take the items of a cluster together: joint correctness, states, depth, groups."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.episodes", *DERIVE_MODULES),
    output:
        episodes=table("episodes"),
        episode_states=table("episode_states"),
        episode_nested=table("episode_nested"),
        episode_depth=table("episode_depth"),
        episode_groups=table("episode_groups"),
    log:
        f"{LOGS}/join_episodes/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule measure_composition:
    """Measure joint success against what its parts let expect."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.composition", *DERIVE_MODULES),
    output:
        composition_gap=table("composition_gap"),
        composition_gap_pairs=table("composition_gap_pairs"),
    log:
        f"{LOGS}/measure_composition/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule score_endpoints:
    """Score the card's further endpoints: macro, balanced, conditional, staged."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.endpoint_scores", *DERIVE_MODULES),
    output:
        endpoint_scores=table("endpoint_scores"),
    log:
        f"{LOGS}/score_endpoints/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_conditions:
    """Compare the same questions under two conditions, within each model."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.paired_controls", *DERIVE_MODULES),
    output:
        paired_controls=table("paired_controls"),
    log:
        f"{LOGS}/compare_conditions/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule audit_judges:
    """Audit judges against a reference rater, label by label."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.judge_audit", *DERIVE_MODULES),
    output:
        judge_audit=table("judge_audit"),
        judge_audit_coverage=table("judge_audit_coverage"),
    log:
        f"{LOGS}/audit_judges/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule profile_families:
    """Describe what the models of a family reach."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.family_profiles", *DERIVE_MODULES),
    output:
        family_profiles=table("family_profiles"),
    log:
        f"{LOGS}/profile_families/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule score_consultations:
    """Score consultations from rubric criteria, by tag and model, with error rates."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.consultation", *DERIVE_MODULES),
    output:
        consultation_scores=table("consultation_scores"),
        consultation_items=table("consultation_items"),
        criterion_counts=table("criterion_counts"),
    log:
        f"{LOGS}/score_consultations/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule score_rubric:
    """Score responses by the declared rubric: scores, applicability, classes, keys, flags."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.rubric_scores", *DERIVE_MODULES),
    output:
        rubric_scores=table("rubric_scores"),
        applicability=table("applicability"),
        rubric_classes=table("rubric_classes"),
        rubric_vignettes=table("rubric_vignettes"),
        safety_flags=table("safety_flags"),
        rubric_distribution=table("rubric_distribution"),
    log:
        f"{LOGS}/score_rubric/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_rubric_scores:
    """Compare models by rubric scores within comparability classes, and by safety flags."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.rubric_models", *DERIVE_MODULES),
    output:
        rubric_models=table("rubric_models"),
        rubric_tests=table("rubric_tests"),
        flag_rates=table("flag_rates"),
        profile_sensitivity=table("profile_sensitivity"),
    log:
        f"{LOGS}/compare_rubric_scores/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule assess_rubric_raters:
    """Assess the raters of a rubric: reliability, leniency, judges, flags, ends of the scale, shared errors."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.rubric_raters", *DERIVE_MODULES),
    output:
        rubric_reliability=table("rubric_reliability"),
        rater_severity=table("rater_severity"),
        judge_agreement=table("judge_agreement"),
        flag_agreement=table("flag_agreement"),
        floor_ceiling=table("floor_ceiling"),
        domain_correlations=table("domain_correlations"),
    log:
        f"{LOGS}/assess_rubric_raters/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule plan_rubric:
    """Find how many vignettes and raters a stated reliability of rubric scores needs."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.rubric_planning", *DERIVE_MODULES),
    output:
        variance_components=table("variance_components"),
        decision_study=table("decision_study"),
    log:
        f"{LOGS}/plan_rubric/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule tables:
    """Build every derived table of every benchmark."""
    input:
        [derived_tables(benchmark) for benchmark in BENCHMARKS],


rule measure_sessions:
    """Measure consultation sessions: history taking, diagnosis, treatment, follow-up."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.session_metrics", *DERIVE_MODULES),
    output:
        session_metrics=table("session_metrics"),
        metric_definitions=table("metric_definitions"),
    log:
        f"{LOGS}/measure_sessions/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule score_sessions:
    """Score stages of consultations and their composite; vary weights and cases."""
    input:
        card=CARD,
        tables=VALIDATED,
        metrics=MEASURED,
        code=code_of("analysis.tables.session_scores", *DERIVE_MODULES),
    output:
        session_scores=table("session_scores"),
        stage_scores=table("stage_scores"),
        composite_ranks=table("composite_ranks"),
        composite_orders=table("composite_orders"),
        composite_pairs=table("composite_pairs"),
    log:
        f"{LOGS}/score_sessions/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule find_hidden_errors:
    """Find what right diagnoses hide in history, safety and adaptation."""
    input:
        card=CARD,
        tables=VALIDATED,
        metrics=MEASURED,
        code=code_of("analysis.tables.hidden_errors", *DERIVE_MODULES),
    output:
        hidden_indicators=table("hidden_indicators"),
        hidden_errors=table("hidden_errors"),
    log:
        f"{LOGS}/find_hidden_errors/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule assess_judges:
    """Compare judges of sessions with themselves and with humans."""
    input:
        card=CARD,
        tables=VALIDATED,
        code=code_of("analysis.tables.judge_reliability", *DERIVE_MODULES),
    output:
        judge_reliability=table("judge_reliability"),
    log:
        f"{LOGS}/assess_judges/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule validate_metrics:
    """Check which metrics put baselines below the models, and a reference above."""
    input:
        card=CARD,
        tables=VALIDATED,
        metrics=MEASURED,
        code=code_of("analysis.tables.metric_validity", *DERIVE_MODULES),
    output:
        metric_validity=table("metric_validity"),
    log:
        f"{LOGS}/validate_metrics/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule compare_variants:
    """Compare thinking with non-thinking variants of the same base model."""
    input:
        card=CARD,
        tables=VALIDATED,
        metrics=MEASURED,
        code=code_of("analysis.tables.paired_factors", *DERIVE_MODULES),
    output:
        paired_factors=table("paired_factors"),
    log:
        f"{LOGS}/compare_variants/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"


rule replay_sessions:
    """Replay a few sessions turn by turn, with what each metric counted."""
    input:
        card=CARD,
        tables=VALIDATED,
        metrics=MEASURED,
        code=code_of("analysis.tables.session_replay", *DERIVE_MODULES),
    output:
        replayed_sessions=table("replayed_sessions"),
        replayed_turns=table("replayed_turns"),
    log:
        f"{LOGS}/replay_sessions/{{benchmark}}.log",
    conda:
        "../environment.yml"
    script:
        "scripts/derive.py"
