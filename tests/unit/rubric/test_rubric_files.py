"""The rubric as data: what the paper fixes, and what a file may not contradict."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from analysis.errors import ConfigError
from analysis.scoring.rubric.model import FOLDER, Rubric, read_rubric, rubric_names
from analysis.scoring.rubric.state import applies
from tests.unit.rubric.conftest import key

SPARSE = {"4a", "4b", "4c", "4d", "5c", "7b", "7c"}
"""Sub-dimensions with anchors at 1, 3 and 5 only (tables 11, 14, 19 and 20 of the paper)."""


def test_the_paper_s_domains_lines_and_anchored_integers(clinical: Rubric) -> None:
    assert [d.id for d in clinical.domains] == list("1234567")
    assert [n for n in clinical.scored if clinical.fields[n].in_mean] == [
        "1a", "2a", "2b", "2c", "2d", "3a", "3b", "3c", "3d", "4a", "4b", "4c", "4d", "5a", "5b", "5c",
        "6a", "6b", "6c", "7a", "7b", "7c",
    ]  # fmt: skip
    for name in clinical.scored:
        expected = [] if name == "1c" else [1, 3, 5] if name in SPARSE else [1, 2, 3, 4, 5]
        assert sorted(clinical.fields[name].anchors) == expected, name
    assert [n for n, f in clinical.fields.items() if f.kind == "count"] == ["1b", "1b_minor", "1b_major"]


def test_the_weights_of_table_22(clinical: Rubric) -> None:
    weights = [[int(w) for w in p.weights.values()] for p in clinical.profiles.values()]
    assert weights == [[20, 25, 30, 0, 10, 10, 5], [15, 20, 20, 25, 10, 5, 5], [15, 15, 15, 0, 15, 25, 15]]
    assert [sum(w) for w in weights] == [100, 100, 100]


@pytest.mark.parametrize(
    ("line", "features", "known"),
    [
        ("3c", ["testing_decision"], True),
        ("3c", [], False),
        ("4a", ["longitudinal"], True),
        ("4b", ["longitudinal"], False),
        ("4b", ["longitudinal", "trend"], True),
        ("4b", ["trend"], False),
        ("5b", ["sequential_evidence"], True),
        ("5b", ["longitudinal"], False),
        ("6c", ["pushback"], True),
        ("6c", [], False),
        ("6a", [], True),
    ],
)
def test_what_applies_follows_from_the_key(
    clinical: Rubric, line: str, features: list[str], known: bool
) -> None:
    found, why = applies(clinical, line, key("v", "diagnostic", *features))
    assert found is known
    assert bool(why) is not known


def test_authors_may_say_that_a_prompt_does_not_elicit_a_line(clinical: Rubric) -> None:
    of = key("v", "diagnostic", not_elicited={"3a": "the summary is given"})
    assert applies(clinical, "3a", of) == (False, "the summary is given")


def test_every_own_rubric_reads_and_hashes_apart() -> None:
    hashes = {read_rubric(name).sha256 for name in rubric_names()}
    assert len(hashes) == len(rubric_names()) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda c: c["domains"][0]["fields"].append({"id": "1a", "title": "again"}),
            "two lines are called '1a'",
        ),
        (lambda c: c["domains"][3].update(applies_when=["moon"]), "domain 4: unknown condition 'moon'"),
        (
            lambda c: c["domains"][0]["fields"][0]["anchors"].update({7: "x"}),
            "1a: anchor 7 is off the scale 1 to 5",
        ),
        (
            lambda c: c["profiles"]["diagnostic"]["weights"].pop("4"),
            "profile diagnostic: weights must name every domain",
        ),
        (
            lambda c: c["domains"][5]["fields"][1]["list"].pop("cap"),
            "a strict list has a cap, a flexible one has none",
        ),
        (
            lambda c: c["options"]["evidence_score"]["minus"].update({"1a": 1}),
            "option evidence_score: '1a' is no count",
        ),
        (lambda c: c.update(agregation="x"), "did you mean 'aggregation'"),
        (lambda c: c["domains"][0]["fields"][2].update(part_of="1a"), "only a count is a part of a count"),
    ],
)
def test_a_rubric_that_contradicts_itself_is_refused(tmp_path: Path, change, message: str) -> None:
    content = yaml.safe_load((FOLDER / "expressed_clinical_reasoning.yaml").read_text(encoding="utf-8"))
    change(content)
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"own\.yaml") as error:
        read_rubric("own.yaml", tmp_path)
    assert message in str(error.value)


def test_a_rubric_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("id: x")
    (tmp_path / "inner").mkdir()
    with pytest.raises(ConfigError, match="does not exist"):
        read_rubric("../x.yaml", tmp_path / "inner")
