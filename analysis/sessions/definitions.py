"""The metrics of consultation sessions: names, stages, tiers, directions, bounds and formulas.

Definitions follow MedConsultBench (arXiv:2601.12661), table 1 and appendices D to H. Where its text
is cut or contradicts itself several forms are kept: one is the default, the others are
`supplementary` and name it in `form_of`. The page ``docs/medconsult-decisions.md`` lists each choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Stage = Literal["history", "diagnosis", "treatment", "follow_up"]
Tier = Literal["primary", "secondary", "supplementary"]
Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class Metric:
    """One metric.

    Parameters
    ----------
    name : str
        Identifier in `session_metrics.metric`.
    label : str
        Name as shown.
    stage : {'history', 'diagnosis', 'treatment', 'follow_up'}
        Stage of the consultation.
    tier : {'primary', 'secondary', 'supplementary'}
        Primary ones enter the composite; supplementary ones are other forms and parts.
    direction : {'higher', 'lower'}
        Which way is better.
    high : float or None
        Greatest value; None: unbounded.
    needs : tuple of str
        Raw files of the sessions that it is made from, beside `sessions`.
    meaning, formula, section : str
        What it says, how it is computed, where the paper defines it.
    low : float
        Least value.
    unit : str
        Unit, empty for shares and ratios.
    form_of : str
        The metric of which it is another form.
    """

    name: str
    label: str
    stage: Stage
    tier: Tier
    direction: Direction
    high: float | None
    needs: tuple[str, ...]
    meaning: str
    formula: str
    section: str
    low: float = 0.0
    unit: str = ""
    form_of: str = ""

    @property
    def undefined(self) -> str:
        """For which sessions the metric is not defined."""
        return UNDEFINED[self.name]


def _history() -> tuple[Metric, ...]:
    coverage = ("turns", "aius", "gold")
    hit = ("turns",)
    order = ("turns", "precedence")
    return (
        Metric(
            "mni_comp", "MNI-Comp", "history", "primary", "higher", 1.0, coverage,
            "Share of the minimal necessary information obtained before the diagnosis, less for late ones",
            "|U_Tdx ∩ U_mni| / |U_mni| · (T_max - T_dx + 1) / T_max", "table 1, D.1",
        ),
        Metric(
            "cprw", "CPRw", "history", "primary", "lower", None, coverage,
            "Importance of what was asked beyond the necessary, against that of the necessary",
            "Σ w(u), u ∈ U_Tdx - U_mni / Σ w(u), u ∈ U_mni", "table 1, D.1",
        ),
        Metric(
            "ige", "IGE", "history", "primary", "higher", None, ("turns",),
            "Diagnostic uncertainty removed per turn", "Σ max(0, IG_t) / T_dx, t ≤ T_dx", "table 1",
            unit="bits per turn",
        ),
        Metric(
            "hit_1", "Hit@1", "history", "primary", "higher", 1.0, hit,
            "Share of turns whose question is one that doctors would ask",
            "|{t ∈ T : Top-1(t) ∈ Q*_t}| / |T|", "table 1, E.2",
        ),
        Metric(
            "povr", "POVR", "history", "primary", "lower", 1.0, order,
            "Share of precedence pairs asked in the wrong order; 1 where nothing was asked",
            "|{(u, v) ∈ P : pos(u) > pos(v)}| / |P|", "table 1, E.1, table 6",
        ),
        Metric(
            "kiel", "KIEL", "history", "secondary", "higher", 1.0, ("turns", "aius"),
            "How early the key information was elicited; 1 all in the first turn, 0 none at all",
            "1 - Σ l(u) / |U_key|, l(u) = (t(u) - 1) / T_max, 1 if never", "D.2",
        ),
        Metric(
            "repetition_effective", "Effective repetition", "history", "secondary", "higher", 1.0, hit,
            "Share of turns that repeat an earlier intent and bring something new",
            "|{t : repeats, new information}| / T_dx", "D.3",
        ),
        Metric(
            "repetition_ineffective", "Ineffective repetition", "history", "secondary", "lower", 1.0, hit,
            "Share of turns that repeat an earlier intent and bring nothing new",
            "|{t : repeats, nothing new}| / T_dx", "D.3",
        ),
        Metric(
            "hit_3", "Hit@3", "history", "secondary", "higher", 1.0, hit,
            "Share of turns with a question among the model's first three that doctors would ask",
            "|{t ∈ T : Top-3(t) ∩ Q*_t ≠ ∅}| / |T|", "E.2",
        ),
        Metric(
            "mni_comp_printed", "MNI-Comp (as printed)", "history", "supplementary", "higher", None, coverage,
            "MNI-Comp by the printed formula, which can exceed 1",
            "|U_Tdx ∩ U_mni| / |U_mni| · T_max / T_dx", "table 1, D.1", form_of="mni_comp",
        ),
        Metric(
            "mni_comp_capped", "MNI-Comp (capped)", "history", "supplementary", "higher", 1.0, coverage,
            "MNI-Comp by the printed formula, at most 1",
            "min(1, |U_Tdx ∩ U_mni| / |U_mni| · T_max / T_dx)", "table 1, D.1", form_of="mni_comp",
        ),
        Metric(
            "mni_coverage", "MNI coverage", "history", "supplementary", "higher", 1.0, coverage,
            "Share of the minimal necessary information obtained before the diagnosis, whenever",
            "|U_Tdx ∩ U_mni| / |U_mni|", "D.1", form_of="mni_comp",
        ),
        Metric(
            "red_flag_coverage", "Red-flag coverage", "history", "supplementary", "higher", 1.0,
            ("turns", "aius"), "Share of the case's red flags elicited before the diagnosis",
            "|U_Tdx ∩ U_red| / |U_red|", "3.2 (ours)",
        ),
        Metric(
            "cprw_bounded", "CPRw (bounded)", "history", "supplementary", "lower", 1.0, coverage,
            "Share of the importance asked for that goes beyond the necessary",
            "R / (R + M), R and M as in CPRw", "D.1", form_of="cprw",
        ),
        Metric(
            "povr_printed", "POVR (as printed)", "history", "supplementary", "lower", 1.0, order,
            "POVR by the printed formula: 0 where nothing was asked",
            "|{(u, v) ∈ P : pos(u) > pos(v)}| / |P|", "table 1, E.1", form_of="povr",
        ),
        Metric(
            "povr_strict", "POVR (strict)", "history", "supplementary", "lower", 1.0, order,
            "Share of precedence pairs that were not both asked in their order",
            "1 - |{(u, v) ∈ P : pos(u) ≤ pos(v)}| / |P|", "E.1, table 6", form_of="povr",
        ),
        Metric(
            "povr_asked", "POVR (of pairs asked)", "history", "supplementary", "lower", 1.0, order,
            "Share of wrong order among the precedence pairs of which both were asked",
            "|V| / |{(u, v) ∈ P : both asked}|", "E.1", form_of="povr",
        ),
    )  # fmt: skip


def _diagnosis() -> tuple[Metric, ...]:
    listed = ("gold", "differentials")
    delay = ("gold", "differentials")
    return (
        Metric(
            "f1_core", "F1-core", "diagnosis", "primary", "higher", 1.0, listed,
            "Agreement of the diagnoses listed with the core ones",
            "2 TP / (2 TP + FP + FN), TP = |G_core ∩ D|, FP = |D - G_core|, FN = |G_core - D|",
            "table 1, F.1",
        ),
        Metric(
            "swds", "SWDS", "diagnosis", "primary", "higher", 1.0, listed,
            "Gold diagnoses found, by weight, less for lower ranks",
            "Σ w(d) α(r(d)), d ∈ G ∩ D / the same of the ideal order; α(r) = 1 / log2(1 + r)",
            "table 1, F.2",
        ),
        Metric(
            "f1_noncore", "F1 non-core", "diagnosis", "secondary", "higher", 1.0, listed,
            "Agreement of the diagnoses listed with the non-core ones",
            "as F1-core, with G_non for G_core", "F.1",
        ),
        Metric(
            "ndcg_severity", "Severity NDCG", "diagnosis", "secondary", "higher", 1.0, listed,
            "Order of the list by severity, against the best list of its length",
            "Σ w(d_r) 1[d_r ∈ G] α(r) / Σ w(d*_r) α(r), r ≤ min(m, k)", "F.2",
        ),
        Metric(
            "ded", "DED", "diagnosis", "secondary", "lower", 1.0, delay,
            "Turns from sufficient evidence to the naming of a gold diagnosis, against the turns allowed",
            "mean over d of max(0, t_AI(d) - t*(d)) / T_max; never named: t_AI = T_max", "F.3, table 3",
        ),
        Metric(
            "drss", "DRSS", "diagnosis", "secondary", "higher", 1.0, ("judgements",),
            "Quality of the rationales, as judged", "mean over d of mean over 4 dimensions of s_k", "F.4",
        ),
        Metric(
            "neu", "NEU", "diagnosis", "secondary", "higher", 1.0, ("judgements",),
            "Share of negative findings used rightly, as judged", "N_neg-use / N_neg-all", "F.5",
        ),
        Metric(
            "top_1_core", "Core diagnosis first", "diagnosis", "supplementary", "higher", 1.0, listed,
            "The diagnosis ranked first is a core one: what a static test asks",
            "1[d_1 ∈ G_core]", "5, table 4 (ours)",
        ),
        Metric(
            "f1_core_marked", "F1-core (as marked)", "diagnosis", "supplementary", "higher", 1.0, listed,
            "F1-core whose false positives are the diagnoses that the model calls core and are not",
            "FP = |D_core - G_core|, TP and FN as in F1-core", "table 1", form_of="f1_core",
        ),
        Metric(
            "f1_core_lenient", "F1-core (lenient)", "diagnosis", "supplementary", "higher", 1.0, listed,
            "F1-core that does not count non-core gold diagnoses as false",
            "FP = |D - G|, TP and FN as in F1-core", "F.1", form_of="f1_core",
        ),
        Metric(
            "f1_noncore_lenient", "F1 non-core (lenient)", "diagnosis", "supplementary", "higher", 1.0,
            listed, "F1 non-core that does not count core gold diagnoses as false",
            "FP = |D - G|, TP and FN as in F1 non-core", "F.1", form_of="f1_noncore",
        ),
        Metric(
            "ded_turns", "DED (turns)", "diagnosis", "supplementary", "lower", None, delay,
            "Turns from sufficient evidence to the naming of a gold diagnosis, of those named",
            "mean over the named d of max(0, t_AI(d) - t*(d))", "F.3", unit="turns", form_of="ded",
        ),
    )  # fmt: skip


def _treatment() -> tuple[Metric, ...]:
    plan = ("regimens", "violations")
    return (
        Metric(
            "psc", "PSC", "treatment", "primary", "higher", 1.0, plan,
            "The plan breaks no hard rule; a session without a plan breaks none",
            "1[no hard violation]", "table 1, G.1, table 6",
        ),
        Metric(
            "ddiv", "DDIV", "treatment", "primary", "lower", 1.0, plan,
            "Share of pairs of drugs with a severe interaction; 0 where there is no pair",
            "|P_DDI| / |P|", "table 1, G.1",
        ),
        Metric(
            "pcr", "PCR", "treatment", "primary", "lower", 1.0, plan,
            "Share of drugs that conflict with the patient's profile; 0 where there is no drug",
            "|ProfViol| / |M|", "table 1, G.1",
        ),
        Metric(
            "psc_planned", "PSC (of plans)", "treatment", "supplementary", "higher", 1.0, plan,
            "PSC of the sessions that have a plan", "1[no hard violation], M ≠ ∅", "G.1", form_of="psc",
        ),
        Metric(
            "ddiv_pairs", "DDIV (of pairs)", "treatment", "supplementary", "lower", 1.0, plan,
            "DDIV of the plans with at least two drugs", "|P_DDI| / |P|, P ≠ ∅", "G.1", form_of="ddiv",
        ),
        Metric(
            "pcr_planned", "PCR (of plans)", "treatment", "supplementary", "lower", 1.0, plan,
            "PCR of the sessions that have a plan", "|ProfViol| / |M|, M ≠ ∅", "G.1", form_of="pcr",
        ),
        Metric(
            "pcr_cautions", "PCR (cautions)", "treatment", "supplementary", "lower", 1.0, plan,
            "PCR without absolute contraindications", "|ProfViol without contraindications| / |M|",
            "G.1, L.2", form_of="pcr",
        ),
        Metric(
            "plan_completeness", "Plan completeness", "treatment", "supplementary", "higher", 1.0, plan,
            "The plan lacks no component that its diagnoses require", "1[no missing component], M ≠ ∅",
            "4.1, L.2 (ours)",
        ),
    )  # fmt: skip


def _follow_up() -> tuple[Metric, ...]:
    judged = ("judgements",)
    return (
        Metric(
            "fqr", "FQR", "follow_up", "primary", "higher", 1.0, ("followups", "judgements"),
            "Share of follow-up turns whose answer matches the intent, as judged",
            "Σ z_t / |T_fu|", "table 1",
        ),
        Metric(
            "dcsr", "DCSR", "follow_up", "primary", "higher", 1.0, ("adaptations",),
            "The revised regimen meets every new constraint and keeps its quality",
            "1[R' ⊨ C, Q' ≥ τ Q]", "table 1",
        ),
        Metric(
            "car", "CAR", "follow_up", "secondary", "higher", 1.0, judged,
            "Share of the patient's concerns that were addressed, as judged", "mean of the judgements",
            "table 8",
        ),
        Metric(
            "aoc", "AOC", "follow_up", "secondary", "higher", 1.0, judged,
            "Counselling that promotes adherence, as judged", "mean over 3 dimensions", "table 8",
        ),
        Metric(
            "sdbi", "SDBI", "follow_up", "secondary", "higher", 1.0, judged,
            "Shared decision-making, as judged", "mean over 3 dimensions", "table 8",
        ),
        Metric(
            "fqr_weighted", "FQR (weighted)", "follow_up", "supplementary", "higher", 1.0,
            ("followups", "judgements"), "FQR with the weights of the follow-up turns",
            "Σ w_t z_t / Σ w_t", "table 1", form_of="fqr",
        ),
        Metric(
            "constraint_met", "Constraints met", "follow_up", "supplementary", "higher", 1.0,
            ("adaptations",), "The revised regimen meets every new constraint, whatever its quality",
            "1[R' ⊨ C]", "table 1", form_of="dcsr",
        ),
        Metric(
            "quality_kept", "Quality kept", "follow_up", "supplementary", "higher", 1.0,
            ("adaptations",), "The revised regimen keeps its quality, whatever the constraints",
            "1[Q' ≥ τ Q]", "table 1", form_of="dcsr",
        ),
    )  # fmt: skip


METRICS: tuple[Metric, ...] = (*_history(), *_diagnosis(), *_treatment(), *_follow_up())
"""Every metric, in the order of stages and tiers."""

BY_NAME: dict[str, Metric] = {m.name: m for m in METRICS}
"""Every metric by its name."""

PRIMARY: tuple[str, ...] = tuple(m.name for m in METRICS if m.tier == "primary")
"""The twelve that enter the composite."""

SECONDARY: tuple[str, ...] = tuple(m.name for m in METRICS if m.tier == "secondary")
"""Those that localise failures (the paper says ten and names twelve)."""

_NO_TURNS = "sessions with a diagnosis after turns that are not recorded"
_NO_MNI = "cases whose gold diagnoses have no minimal necessary information"
_NO_PAIRS = "cases without precedence pairs"
_NO_CORE, _NO_OTHER = "cases without a core gold diagnosis", "cases without a non-core gold diagnosis"

UNDEFINED: dict[str, str] = {
    **dict.fromkeys(("mni_comp", "mni_comp_printed", "mni_comp_capped", "mni_coverage"), _NO_MNI),
    "cprw": "cases whose minimal necessary information has no weight",
    "cprw_bounded": "cases whose minimal necessary information has no weight",
    "ige": "sessions with a turn without information gain",
    "hit_1": "sessions without a turn that has an expert set",
    "hit_3": "sessions without a turn that has an expert set, or with such a turn without top_k",
    **dict.fromkeys(("povr", "povr_printed", "povr_strict"), _NO_PAIRS),
    "povr_asked": "sessions that asked both of no precedence pair",
    "kiel": "cases without key information",
    "red_flag_coverage": "cases without red flags",
    "repetition_effective": _NO_TURNS,
    "repetition_ineffective": _NO_TURNS,
    **dict.fromkeys(("f1_core", "f1_core_lenient", "top_1_core"), _NO_CORE),
    "f1_core_marked": f"{_NO_CORE}, and sessions with a diagnosis without as_core",
    **dict.fromkeys(("f1_noncore", "f1_noncore_lenient"), _NO_OTHER),
    "swds": "cases whose gold diagnoses have no weight",
    "ndcg_severity": "cases whose gold diagnoses have no severity",
    "ded": "sessions in which the evidence of no gold diagnosis sufficed",
    "ded_turns": "sessions that named no gold diagnosis whose evidence sufficed",
    **dict.fromkeys(("drss", "neu", "car", "aoc", "sdbi"), "sessions without such a judgement"),
    **dict.fromkeys(("psc", "ddiv", "pcr", "pcr_cautions"), ""),
    **dict.fromkeys(("psc_planned", "pcr_planned", "plan_completeness"), "sessions without a plan"),
    "ddiv_pairs": "plans with fewer than two drugs",
    "fqr": "sessions without a judged follow-up turn",
    "fqr_weighted": "sessions without a judged follow-up turn that has weight",
    "dcsr": "sessions without a new constraint, or with one that is not judged",
    "constraint_met": "sessions without a new constraint, or with one that is not judged",
    "quality_kept": "sessions without a new constraint, or without the qualities of the regimens",
}
"""For which sessions each metric is not defined, as `metric_definitions.why` says it."""
