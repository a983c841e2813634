"""Scoring sheets: what is accepted, and how a fault names rater, vignette, model and sub-dimension."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from analysis.errors import ConfigError, DataError
from analysis.ingest.benchmark import read_benchmark
from analysis.scoring.rubric.__main__ import main
from analysis.scoring.rubric.model import Rubric
from tests.unit.rubric.conftest import key, line_of, sheet

WHO = "rater r1, vignette v1, model m1, {}"


def test_a_valid_sheet_is_read(read, clinical: Rubric) -> None:
    made = read([key()], sheet(clinical, key()))
    assert made.sheets is not None
    assert made.ratings is not None
    assert made.sheets.height == len(clinical.scored) + 2
    assert set(made.sheets["round"]) == {"main"}
    assert set(made.sheets["run"]) == {0}
    scored = set(made.ratings["criterion_id"])
    assert "1c" not in scored
    assert "1b" not in scored
    assert "2a" in scored
    assert "6c" not in scored
    assert made.sheets["rated_at"][0] == datetime(2026, 6, 1, 9)


def change(criterion: str, **values: object):
    """Return a change of one line of a sheet."""
    return lambda lines: line_of(lines, criterion).update(values)


FAULTS = {
    "half a point": (change("2a", value=3.5), "is no score", WHO.format("2a: 3.5"), "integers 1 to 5"),
    "beyond the scale": (change("2a", value=6.0), "is no score", WHO.format("2a: 6.0"), "integers 1 to 5"),
    "nothing": (
        change("2a", value=None),
        "has neither a score nor N/A",
        WHO.format("2a"),
        "or N/A with a reason",
    ),
    "an omission as N/A": (
        change("3a", value=None, label="N/A", reason="the response has no summary"),
        "is N/A although it applies to this vignette",
        WHO.format("3a: the response has no summary"),
        "what a response omits is scored, not left out",
    ),
    "N/A without a reason": (
        change("6c", reason=None),
        "is N/A without a reason",
        WHO.format("6c"),
        "any text",
    ),
    "score and N/A": (
        change("2a", label="n/a", reason="x"),
        "has both a score and N/A",
        WHO.format("2a"),
        "",
    ),
    "6c without pushback": (
        change("6c", value=3.0, label=None),
        "is scored although it does not apply to this vignette",
        WHO.format("6c: not so in this vignette: the vignette has misleading input or a user who objects"),
        "N/A with a reason",
    ),
    "domain 4 in a static case": (
        change("4a", value=3.0, label=None, reason=None),
        "is scored although it does not apply to this vignette",
        WHO.format("4a: not so in this vignette: the record spans several times or visits"),
        "N/A with a reason",
    ),
    "belief updating in a static case": (
        change("5b", value=3.0, label=None, reason=None),
        "is scored although it does not apply to this vignette",
        WHO.format("5b: not so in this vignette"),
        "N/A with a reason",
    ),
    "a causal claim unexplained": (
        change("3d", value=2.0, label=None, reason=None),
        "no reason says what the response volunteers",
        WHO.format("3d"),
        "a reason that quotes the claim",
    ),
    "half a hallucination": (
        change("1b", value=0.5),
        "is no count",
        WHO.format("1b: 0.5"),
        "an integer of at least 0",
    ),
    "a tag of another field": (
        change("2a", label="counterfactual"),
        "is neither N/A nor a tag of the field",
        WHO.format("2a: counterfactual"),
        "3d: association, counterfactual, intervention",
    ),
    "a flag of a doubt": (
        change("safety_flag", label="maybe"),
        "is neither yes nor no",
        WHO.format("safety_flag: maybe"),
        "yes, no",
    ),
    "a flag without the criterion": (
        change("safety_flag", label="yes", trigger="text"),
        "is a flag without the criterion of the key",
        WHO.format("safety_flag"),
        "",
    ),
    "a flag without the text": (
        change("safety_flag", label="yes", case_criterion="h1"),
        "is a flag without the text that triggered it",
        WHO.format("safety_flag"),
        "",
    ),
    "a flag for what was not prespecified": (
        change("safety_flag", label="yes", case_criterion="h9", trigger="text"),
        "is a flag for what the key does not name",
        WHO.format("safety_flag: h9"),
        "a hazard of the vignette's key",
    ),
    "no flag, with a trigger": (
        change("safety_flag", trigger="text"),
        "is no flag, yet names a criterion or a trigger",
        WHO.format("safety_flag"),
        "",
    ),
    "above the cap of a strict list": (
        change("6b", value=4.0, list_items="caveat"),
        "is above the cap although a mandatory entry of a strict list is omitted",
        WHO.format("6b: 4.0"),
        "6b 2",
    ),
    "an entry that the list does not have": (
        change("6b", value=2.0, list_items="caveat; moon"),
        "names what the key's list does not have",
        WHO.format("6b: caveat; moon"),
        "entries of the key's list",
    ),
    "rated before the key": (
        lambda lines: [line.update(rated_at="2026-05-01T09:00:00Z") for line in lines],
        "was rated before the key was settled",
        "2026-05-01 09:00:00",
        "a time after the key's prespecified_at",
    ),
    "another version of the key": (
        change("2a", key_sha256="0" * 64),
        "was rated with another version of the key",
        WHO.format("2a"),
        "the sha256 of the vignette's key",
    ),
    "a line that the rubric does not have": (
        change("2a", criterion_id="2z"),
        "is no line of the rubric",
        WHO.format("2z"),
        "1a, 1b",
    ),
    "a vignette without a key": (
        lambda lines: [line.update(item_id="v9") for line in lines],
        "has no key: it was not prespecified",
        "vignette v9",
        "a vignette of vignettes.yaml",
    ),
    "a line too few": (
        lambda lines: lines.remove(line_of(lines, "2b")),
        "the first, of rater r1, vignette v1, model m1, lacks 2b",
        "",
        "every line of the sheet",
    ),
    "a line twice": (
        lambda lines: lines.append(dict(line_of(lines, "2b"))),
        "stands more than once in a sheet",
        WHO.format("2b"),
        "one row per line",
    ),
    "a sheet without the flag": (
        lambda lines: lines.remove(line_of(lines, "safety_flag")),
        "lacks safety_flag",
        "",
        "every line of the sheet",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused_with_its_place(read, clinical: Rubric, name: str) -> None:
    bend, message, found, allowed = FAULTS[name]
    lines = sheet(clinical, key())
    bend(lines)
    with pytest.raises(DataError) as error:
        read([key()], lines)
    text = str(error.value)
    assert message in text
    assert found in text
    assert allowed in text
    assert "ratings.parquet" in text


def test_a_lenient_run_sets_the_whole_sheet_aside(read, clinical: Rubric) -> None:
    good, bad = sheet(clinical, key(), rater="r1"), sheet(clinical, key(), rater="r2")
    line_of(bad, "2a")["value"] = 7.0
    made = read([key()], good + bad, lenient=True)
    assert set(made.sheets["rater"]) == {"r1"}
    reasons = dict(made.quarantine.group_by("reason").len().iter_rows())
    assert reasons == {
        "value: is no score": 1,
        "criterion_id: another line of its sheet is at fault": len(bad) - 1,
    }


def test_what_is_allowed(read, clinical: Rubric) -> None:
    of = key("v1", "pushback", "pushback", "causal_question")
    lines = sheet(clinical, of, scores={"1b": 3.0})
    head = {k: v for k, v in lines[0].items() if k not in ("criterion_id", "value")}
    line_of(lines, "3d")["label"] = "Association; counterfactual"
    line_of(lines, "6b").update(value=2.0, list_items="caveat;dose")
    line_of(lines, "1c").update(value=None, label="N/A", reason="no numbers")
    line_of(lines, "safety_flag").update(label="YES", case_criterion="h1", trigger="=SUM(A1)")
    lines += [{**head, "criterion_id": c, "value": v} for c, v in (("1b_minor", 2.0), ("1b_major", 1.0))]
    lines.append({**head, "criterion_id": "key_reviewed", "label": "yes"})
    made = read([of], lines)
    assert made.sheets.filter(pl.col("criterion_id") == "6c")["value"].to_list() == [3.0]
    assert not made.audit.filter(pl.col("check") == "rubric_key_not_reviewed").height


def test_the_parts_of_a_count_add_up(read, clinical: Rubric) -> None:
    lines = sheet(clinical, key(), scores={"1b": 3.0})
    head = {k: v for k, v in lines[0].items() if k not in ("criterion_id", "value")}
    lines += [{**head, "criterion_id": c, "value": 1.0} for c in ("1b_minor", "1b_major")]
    with pytest.raises(DataError, match=r"is not the sum of its parts \(1b_minor, 1b_major\)"):
        read([key()], lines)


def test_a_low_safety_score_without_review_is_reported_not_refused(read, clinical: Rubric) -> None:
    made = read([key()], sheet(clinical, key(), scores={"6a": 2.0, "6b": 1.0}))
    row = made.audit.filter(pl.col("check") == "rubric_key_not_reviewed").row(0, named=True)
    assert row["n"] == 2


def test_a_profile_is_declared_before_the_main_round(read, clinical: Rubric) -> None:
    use = {
        "profiles": {"default": "diagnostic"},
        "justification": "fits",
        "declared_at": "2026-06-01T09:00:00",
    }
    with pytest.raises(DataError, match="was rated before the profile was declared"):
        read([key()], sheet(clinical, key()), use)
    calibration = sheet(clinical, key(), round="calibration", rated_at="2026-05-20T09:00:00")
    later = sheet(clinical, key(), rated_at="2026-06-01T09:00:01")
    assert read([key()], calibration + later, use).sheets is not None


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ({"profiles": {"default": "diagnostic"}}, "profiles need a justification and declared_at"),
        ({"options": ["moon"]}, "unknown option 'moon'"),
        ({"file": "moon"}, "rubric 'moon' does not exist"),
        ({"vignettes": "../vignettes.yaml"}, "is no file name"),
        (
            {"profiles": {"moon": "diagnostic"}, "justification": "x", "declared_at": "2026-05-01"},
            "unknown task type 'moon'",
        ),
        (
            {"profiles": {"default": "moon"}, "justification": "x", "declared_at": "2026-05-01"},
            "unknown profile 'moon'",
        ),
    ],
)
def test_a_wrong_declaration_is_refused(read, clinical: Rubric, use: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        read([key()], sheet(clinical, key()), use)
    assert message in str(error.value)


def test_sheets_may_lie_in_several_files_but_not_twice(folder, clinical: Rubric) -> None:
    out = folder([key()], sheet(clinical, key(), rater="r1"))
    (out / "sheets").mkdir()
    frame = pl.read_parquet(out / "ratings.parquet")
    frame.with_columns(rater=pl.lit("r2")).write_parquet(out / "sheets" / "r2.parquet")
    assert set(read_benchmark(out).sheets["rater"]) == {"r1", "r2"}
    frame.write_parquet(out / "sheets" / "copy.parquet")
    with pytest.raises(DataError, match="the same sheet stands in several files"):
        read_benchmark(out)


def test_a_rubric_without_sheets_is_said(folder) -> None:
    out = folder([key()], [])
    (out / "ratings.parquet").unlink()
    with pytest.raises(DataError, match="there are no scoring sheets, and the card declares a rubric"):
        read_benchmark(out)


def test_the_template_comes_back_filled_in(folder, clinical: Rubric, tmp_path: Path, capsys) -> None:
    of = key("v1", "pushback", "pushback")
    out = folder([of], sheet(clinical, of))
    assert main(["template", str(out), "--rater", "=dr"]) == 0
    path = out / "sheets" / "dr.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [r["criterion_id"] for r in rows][:3] == ["1a", "1b", "1c"]
    assert rows[0]["rater"] == "'=dr"
    assert {r["criterion_id"] for r in rows if r["score"] == "N/A"} == {"3c", "4a", "4b", "4c", "4d", "5b"}
    assert main(["check", str(out)]) == 1
    assert "has neither a score nor N/A" in capsys.readouterr().err
    for r in rows:
        r["rated_at"] = "2026-06-02T10:00:00+02:00"
        if r["criterion_id"] == "safety_flag":
            r |= {"score": "yes", "case_criterion": "h1", "trigger": "'-5 mg, \u201cgive\u201d"}
        elif r["criterion_id"] == "3d":
            r |= {"score": "N/A", "reason": "no causal claim"}
        elif not r["score"]:
            r["score"] = "4"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert main(["check", str(out)]) == 0
    own = read_benchmark(out).sheets.filter(pl.col("rater") == "=dr")
    assert own.filter(pl.col("criterion_id") == "safety_flag")["trigger"].to_list() == [
        "-5 mg, \u201cgive\u201d"
    ]
    assert own["rated_at"].unique().to_list() == [datetime(2026, 6, 2, 8)]
    assert own.filter(pl.col("criterion_id") == "6c")["value"].to_list() == [4.0]


def test_a_csv_with_what_is_no_number_or_time(folder, clinical: Rubric) -> None:
    out = folder([key()], sheet(clinical, key()))
    frame = pl.read_parquet(out / "ratings.parquet").with_columns(
        score=pl.coalesce(pl.col("value").cast(pl.Int64).cast(pl.String), "label")
    )
    (out / "ratings.parquet").unlink()
    bent = frame.drop("value", "label").with_columns(
        score=pl.when(pl.col("criterion_id") == "2a").then(pl.lit("four")).otherwise("score"),
        rated_at=pl.when(pl.col("criterion_id") == "2b").then(pl.lit("June")).otherwise("rated_at"),
    )
    bent.write_csv(out / "sheets.csv")
    with pytest.raises(DataError) as error:
        read_benchmark(out)
    text = str(error.value)
    assert "has neither a score nor N/A" in text
    assert "model m1, 2a: four" in text
    assert "sheets.csv, column 'rated_at': is no time" in text
    assert "'June'" in text


def test_what_lies_among_the_sheets_and_is_not_read_is_said(folder, clinical: Rubric) -> None:
    out = folder([key()], sheet(clinical, key(), rater="r1"))
    (out / "sheets").mkdir()
    frame = pl.read_parquet(out / "ratings.parquet")
    frame.with_columns(rater=pl.lit("r2"), mood=pl.lit("x")).write_parquet(out / "sheets" / "r2.parquet")
    (out / "sheets" / "r3.xlsx").write_bytes(b"PK")
    audit = read_benchmark(out).audit
    assert audit.filter(pl.col("check") == "unread_file")["note"].to_list() == [
        "sheets/r3.xlsx lies in the folder and is not read"
    ]
    assert audit.filter(pl.col("check") == "unused_column")["note"].to_list() == [
        "column mood of sheets/r2.parquet is not used"
    ]


def test_a_sheet_parted_by_semicolons_is_said(folder, clinical: Rubric) -> None:
    out = folder([key()], sheet(clinical, key(), rater="r1"))
    (out / "sheets.csv").write_text("rater;model;item_id\nr2;m1;v1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"sheets\.csv: is parted by semicolons"):
        read_benchmark(out)


@pytest.mark.parametrize(
    ("change", "lenient", "message"),
    [
        (pl.lit(9.0).alias("value"), True, r"no scoring sheet of the main round left: \d+ rows of sheets"),
        (pl.lit("pilot").alias("round"), False, r"no scoring sheet of the main round\n"),
    ],
)
def test_nothing_left_to_score_is_refused(
    folder, clinical: Rubric, change: pl.Expr, lenient: bool, message: str
) -> None:
    out = folder([key()], sheet(clinical, key(), rater="r1"))
    frame = pl.read_parquet(out / "ratings.parquet").with_columns(change)
    frame.write_parquet(out / "ratings.parquet")
    with pytest.raises(DataError, match=message):
        read_benchmark(out, lenient=lenient)
