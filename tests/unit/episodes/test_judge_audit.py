"""Judges against a reference rater, by polarity and with exclusions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from analysis.errors import DataError
from analysis.schemas import DERIVED
from analysis.tables import judge_audit
from analysis.tables.data import BenchmarkData
from tests.unit.episodes.conftest import Build, Row

CARD = "judge_audits: {targeted: {reference: physicians, exclude: {unflagged: {flagged: responses}}}}"


def labels(
    truth: str, judged: str, *, polarity: str = "", flagged: str = "", per_response: int = 4
) -> list[Row]:
    """Return ratings of criteria in responses of `per_response` each: T, F, or - for none."""
    rows = []
    words = {"T": "true", "F": "false", "-": None, "?": "unclear"}
    polarities = {"R": "requirement", "M": "major", "-": None}
    for i, (t, j) in enumerate(zip(truth, judged, strict=True)):
        base = {
            "model": f"m{(i // per_response) % 2}",
            "item_id": f"q{i // per_response}",
            "criterion_id": f"c{i}",
        }
        base["polarity"] = polarities[polarity[i]] if polarity else None
        mark = bool(flagged) and flagged[i] == "x"
        rows.append(
            {**base, "rater": "physicians", "rater_kind": "human", "label": words[t], "flagged": mark}
        )
        if j != "-":
            rows.append(
                {**base, "rater": "judge", "rater_kind": "judge", "label": words[j], "flagged": False}
            )
    return rows


def audited(build: Build, ratings: list[Row], card: str = CARD) -> dict[str, pl.DataFrame]:
    """Return both tables, validated."""
    names = sorted({(r["model"], r["item_id"]) for r in ratings})
    answers: dict[str, dict[str, int]] = {}
    for model, item in names:
        answers.setdefault(model, {})[item] = 1
    data: BenchmarkData = build([{"item_id": n} for _, n in names], answers, card, ratings=ratings)
    made = {name: frame for name, (frame, _) in judge_audit.derive(data).items()}
    for name, frame in made.items():
        DERIVED[name].validate(frame)
    return made


def found(frame: pl.DataFrame, excluded: str = "none", polarity: str = "all") -> dict[str, Row]:
    """Return the rows of one group by statistic."""
    rows = frame.filter(pl.col("excluded") == excluded, pl.col("polarity") == polarity)
    return {r["statistic"]: r for r in rows.iter_rows(named=True)}


TRUTH = "TTTTTTFFFFFFTTFFTTTF"
JUDGED = "TTTTFFFFFFTFTTFFTFTT"


def test_statistics_are_those_of_the_two_by_two_table(build: Build) -> None:
    rows = found(audited(build, labels(TRUTH, JUDGED))["judge_audit"])
    t, j = (np.array([c == "T" for c in s]) for s in (TRUTH, JUDGED))
    agreement = np.mean(t == j)
    expected = np.mean(t) * np.mean(j) + (1 - np.mean(t)) * (1 - np.mean(j))
    by_hand = {
        "agreement": agreement,
        "kappa": (agreement - expected) / (1 - expected),
        "sensitivity": np.mean(j[t]),
        "specificity": np.mean(~j[~t]),
        "balanced_accuracy": (np.mean(j[t]) + np.mean(~j[~t])) / 2,
        "true_rate": np.mean(j),
        "reference_rate": np.mean(t),
    }
    for name, value in by_hand.items():
        assert rows[name]["estimate"] == pytest.approx(value), name
    assert (rows["kappa"]["n"], rows["kappa"]["n_responses"], rows["kappa"]["n_units"]) == (20, 5, 5)
    assert rows["agreement"]["method"] == "bootstrap_bca"


def test_responses_with_a_flagged_label_leave_whole(build: Build) -> None:
    flags = "x" + "." * 19
    made = audited(build, labels(TRUTH, JUDGED, flagged=flags))
    rows = found(made["judge_audit"], "unflagged")
    assert (rows["agreement"]["n"], rows["agreement"]["n_responses"]) == (16, 4)
    only = audited(build, labels(TRUTH, JUDGED, flagged=flags), CARD.replace("responses", "labels"))
    assert found(only["judge_audit"], "unflagged")["agreement"]["n"] == 19
    coverage = made["judge_audit_coverage"].filter(pl.col("model") == "m0").row(0, named=True)
    counts = ("n_responses", "n_labels", "n_flagged_labels", "n_flagged_responses", "n_without_polarity")
    assert tuple(coverage[c] for c in counts) == (3, 12, 1, 1, 12)


def test_polarities_stand_apart_and_criteria_without_one_have_a_row(build: Build) -> None:
    polarity = "RRRRMMMMRRMM--RRMMMM"
    made = audited(build, labels(TRUTH, JUDGED, polarity=polarity))["judge_audit"]
    sizes = {p: found(made, "none", p)["agreement"]["n"] for p in ("all", "requirement", "major", "(none)")}
    assert sizes == {"all": 20, "requirement": 8, "major": 10, "(none)": 2}


def test_a_reference_with_one_class_has_no_specificity_and_says_why(build: Build) -> None:
    rows = found(audited(build, labels("T" * 12, "TTTFTTTTTTTT"))["judge_audit"])
    assert rows["specificity"]["estimate"] is None
    assert rows["specificity"]["note"] == "The reference calls everything true."
    assert rows["balanced_accuracy"]["estimate"] is None
    assert rows["sensitivity"]["estimate"] == pytest.approx(11 / 12)
    constant = found(audited(build, labels("T" * 12, "T" * 12))["judge_audit"])
    assert constant["kappa"]["estimate"] is None
    assert constant["kappa"]["note"] == "Judge and reference both use one and the same label throughout."


def test_one_response_has_values_but_no_intervals(build: Build) -> None:
    rows = found(audited(build, labels("TTFF", "TFFF"))["judge_audit"])
    assert rows["kappa"]["estimate"] == pytest.approx(0.5)
    assert (rows["kappa"]["ci_low"], rows["kappa"]["method"]) == (None, "none")
    assert rows["kappa"]["note"] == "One unit only: nothing to resample."


def test_labels_that_say_neither_are_counted(build: Build) -> None:
    made = audited(build, labels("TF------", "TFTFTTTT"))
    rows = made["judge_audit_coverage"].sort("model")
    assert rows.select("n_responses", "n_excluded_responses", "n_labels", "n_unread").rows() == [
        (1, 0, 2, 2),
        (1, 1, 0, 4),
    ]
    assert found(made["judge_audit"])["agreement"]["n"] == 2


def test_without_a_card_every_human_is_a_reference(build: Build) -> None:
    made = audited(build, labels(TRUTH, JUDGED), "")
    assert made["judge_audit"]["audit"].unique().to_list() == ["physicians"]
    assert made["judge_audit"]["excluded"].unique().to_list() == ["none"]


def test_a_reference_who_rated_nothing_is_refused(build: Build) -> None:
    with pytest.raises(DataError, match="names the rater 'panel', who rated nothing"):
        audited(build, labels(TRUTH, JUDGED), "judge_audits: {x: {reference: panel}}")
