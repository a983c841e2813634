"""What the page says about whole episodes, controls, endpoints, families and judge audits."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from analysis.reporting.results import Results
from analysis.reporting.sections import (
    controls,
    endpoints,
    episode_words,
    episodes,
    families,
    headline,
    judge_audits,
)
from analysis.reporting.view import View
from tests.unit.reporting.conftest import Derive, derive_all


def as_text(markup: str) -> str:
    """Return what a reader sees of HTML in Markdown, in one line."""
    plain = re.sub(r"```\{=html\}|```|<[^>]+>", " ", markup)
    return re.sub(r"\s+([.:,])", r"\1", " ".join(html.unescape(plain).split()))


EVIL = "<script>alert('x')</script>"


def pathways() -> dict[str, pl.DataFrame]:
    """Return 30 patients with pathology, stage and one to three care decisions, under two conditions."""
    rng = np.random.default_rng(4)
    items: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    models = {"a": 0.95, "b": 0.7, EVIL: 0.5}
    for p in range(30):
        parts = ["pathology", "stage", *["care"] * (1 + p % 3)]
        for track in ("L6", "L6 & reference"):
            for i, part in enumerate(parts):
                item = f"{track}-{p}-{i}"
                row = {
                    "item_id": item,
                    "track": track,
                    "cluster_id": f"P{p}",
                    "component": part,
                    "position": i,
                }
                items.append(
                    {**row, "question": f"{p}-{i}", "grade": f"T{p % 4}", "source": EVIL if p < 9 else "x"}
                )
                for model, skill in models.items():
                    right = bool(rng.random() < skill + (0.2 if track != "L6" else 0))
                    rows.append({"model": model, "item_id": item, "correct": right})
    ratings = [
        {"model": "a", "item_id": f"L6-{r}-0", "criterion_id": f"c{c}", "rater": rater, "rater_kind": kind,
         "label": "yes" if (r + c + (rater == EVIL and c == 2)) % 2 else "no",
         "polarity": "major" if c else EVIL}
        for r in range(8) for c in range(4) for rater, kind in (("physician", "human"), (EVIL, "judge"))
    ]  # fmt: skip
    return {
        "verdicts": pl.DataFrame(rows),
        "items": pl.DataFrame(items),
        "ratings": pl.DataFrame(ratings),
        "models": pl.DataFrame({"model": list(models), "family": ["F", "F", EVIL]}),
    }


CARD: dict[str, Any] = {
    "cluster": "cluster_id",
    "synthetic": "Simulated for a test.",
    "episodes": {
        "tracks": ["L6"],
        "endpoints": {"strict": {"all_of": ["pathology", "stage", "care"], "meaning": f"all of it {EVIL}"}},
        "nested": ["pathology", "stage", "care"],
        "depth": "care",
        "groups": ["source"],
        "construction_models": ["b"],
    },
    "endpoints": {"t": {"track": "L6", "component": "stage", "classes": "grade"}},
    "controls": {
        "evidence": {
            "column": "track", "baseline": "L6", "changed": "L6 & reference", "match": "question",
            "meaning": f"given {EVIL}",
        }
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    tables = pathways()
    base = tmp_path_factory.mktemp("episodes")
    results = derive_all(base, "paths", tables.pop("verdicts"), CARD, **tables)
    return View(Results.open("paths", results))


def test_the_story_takes_its_numbers_from_the_table(view: View) -> None:
    text = as_text(episodes.show(view))
    gaps = view.results.rows("composition_gap", track="L6", endpoint="strict")
    assert gaps is not None
    # b was used in choosing the episodes: it is named, and not part of the range.
    own = gaps.filter(~pl.col("construction"))
    low, high = (f"{100 * v:.1f}%" for v in (own["joint"].min(), own["joint"].max()))
    assert f"2 models have {low} to {high} of 30 right" in text
    assert "Used in choosing the episodes, and shown apart: b." in text
    best = own.sort("joint").row(-1, named=True)
    lead, _ = episode_words.finding(view) or ("", "")
    joint, single = (f"{100 * best[c]:.1f}%" for c in ("joint", "item_accuracy"))
    expected = f"a has {single} of single items of track L6 right, and {joint} of whole episodes."
    assert as_text(lead) == expected
    assert expected in as_text(headline.show(view))


def test_controls_name_the_models_whose_scores_change(view: View) -> None:
    text = as_text(controls.show(view))
    rows = view.results.rows("paired_controls", control="evidence", primary=True)
    assert rows is not None
    clear = rows.filter(pl.col("p_holm") < 0.05).height
    assert ("Scores are higher under the changed condition" in text) == bool(clear)
    assert "120 questions in 30 clusters, by cluster." in text


def test_baselines_families_and_audits_are_said(view: View) -> None:
    assert "always the most frequent class would be right in 26.7%" in as_text(endpoints.show(view))
    assert "2 families of models." in as_text(families.show(view))
    text = as_text(judge_audits.show(view))
    assert "agrees with physician on 75.0%" in text
    assert "of 32 labels of 8 responses" in text


def test_text_from_data_is_never_markup(view: View) -> None:
    for section in (episodes, controls, endpoints, families, judge_audits, headline):
        shown = section.show(view)
        assert "<script>" not in shown, section.__name__
        if section is not headline:
            assert "&lt;script&gt;" in shown, section.__name__


def test_without_clusters_the_section_says_why(view_of: Derive) -> None:
    plain = view_of(pl.DataFrame({"model": ["a", "b"], "item_id": ["x", "x"], "correct": [True, False]}))
    assert as_text(episodes.show(plain)) == "The card declares no cluster."
    assert as_text(controls.show(plain)) == "The card declares no controls."
    assert endpoints.show(plain) == families.show(plain) == judge_audits.show(plain) == ""
    assert episode_words.finding(plain) is None


@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        ([0.5, 0.2], "It has the highest joint success (everything right). "),
        ([0.5, 0.5, 0.2], "It shares the highest joint success (everything right) with 1 other model. "),
        ([0.0, 0.0], "No model has a whole episode right (everything right). "),
        ([0.4], "A whole episode asks for this: everything right. "),
    ],
)
def test_the_first_of_equals_is_not_said_to_lead(joint: list[float], expected: str) -> None:
    assert episode_words.place(pl.DataFrame({"joint": joint}), "all_correct") == expected


def test_episodes_that_no_share_is_of_are_counted_in_the_headline(tmp_path: Path) -> None:
    rows = [
        {"model": m, "item_id": f"{c}{i}", "correct": (m == "a") or i == 0}
        for m in ("a", "b")
        for c in "pqrs"
        for i in range(1 if c == "s" else 2)
    ]
    items = pl.DataFrame(
        [
            {"item_id": f"{c}{i}", "cluster_id": c, "component": "xy"[i]}
            for c in "pqrs"
            for i in range(1 if c == "s" else 2)
        ]
    )
    results = derive_all(tmp_path, "part", pl.DataFrame(rows), {"cluster": "cluster_id"}, items=items)
    _, detail = episode_words.finding(View(Results.open("part", results))) or ("", "")
    assert "Both leave 1 episode out: without a score on every item" in detail
