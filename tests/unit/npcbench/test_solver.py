"""Parts of the reconstruction by themselves: what cannot hold is refused, not made to fit."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.demo.npcbench import audits, carepath, consultations, evidence, imaging, longitudinal
from analysis.demo.npcbench.printed import PrintedTable, printed
from analysis.demo.npcbench.program import Counts
from analysis.demo.npcbench.statements import Entry, _statements
from analysis.errors import ConfigError


def test_counts_meet_requirements_and_stay_near() -> None:
    program = Counts(3)
    program.stay_near([4, 4, 4])
    program.require([1, 1, 1], 10)
    program.require([0, 1, 0], 4, 4)
    made = program.solve()
    assert (made.sum(), made[1]) == (10, 4)
    assert np.abs(made - 4).sum() == 2


def test_counts_that_contradict_each_other_are_refused() -> None:
    program = Counts(2)
    program.require([1, 1], 3)
    program.require([2, 2], 7)
    with pytest.raises(RuntimeError, match="no counts meet the printed numbers"):
        program.solve()


def test_a_wish_gives_way_to_a_requirement() -> None:
    program = Counts(2)
    program.require([1, 0], 5)
    program.wish([1, 0], 9, price=100)
    program.wish([0, 1], 3, free=1)
    assert program.solve().tolist()[0] == 5


def test_a_share_that_no_count_or_several_print_is_refused() -> None:
    table = PrintedTable("Table X", "", ("share",), {"a": ("33.4",), "b": ("9.4",)}, {})
    with pytest.raises(ValueError, match=r"Table X, a, share: 33.4 of 3 is \[\]"):
        table.successes("a", "share", 3)
    with pytest.raises(ValueError, match=r"9.4 of 2700 is \[253, 254, 255\]"):
        table.successes("b", "share", 2700)


def test_the_cohort_has_the_printed_margins() -> None:
    patients = carepath.cohort()
    by_source = {s: [p.depth for p in patients if p.source == s] for s in ("matched", "assigned")}
    assert [(len(d), sum(d)) for d in by_source.values()] == [(25, 115), (75, 102)]
    assert sum(p.n_unscored for p in patients) == 6
    assert [sum(p.stage == s for p in patients) for s in ("T1", "T2", "T3", "T4")] == [7, 12, 58, 23]


def test_an_impossible_group_is_refused() -> None:
    depth = np.array([1, 1, 1])
    with pytest.raises(ValueError, match="do not go with"):
        carepath._all_care(depth, 1, 3, np.random.default_rng(1))


def test_controls_ask_146_questions_of_25_patients() -> None:
    asked = evidence.questions()
    assert (len(asked), sum(asked.values())) == (25, 146)


def test_exchanging_turns_brings_the_standard_error_near() -> None:
    depth = longitudinal.depths()
    patient = np.repeat(np.arange(depth.size), depth)
    rng = np.random.default_rng(3)
    change = rng.permutation(np.repeat([1, -1, 0], [30, 20, depth.sum() - 50]))
    target = 1.3 * longitudinal.standard_error(change, patient, depth)
    order = longitudinal._towards(change, patient, depth, target, rng)
    assert sorted(order) == list(range(change.size))
    assert longitudinal.standard_error(change[order], patient, depth) == pytest.approx(target, rel=0.01)


def test_cards_print_as_structure_joint_and_conditional_accuracy() -> None:
    table = printed("table_a14")
    for model in table.models:
        structure, joint = imaging.card_counts(model, 2700)
        assert f"{100 * joint / structure:.1f}" == table.cell(model, "Inv.")


def test_the_unflagged_confusions_are_the_only_ones() -> None:
    made = audits.unflagged_confusions()
    assert {c.p for c in made.values()} == {111}
    assert {(c.n, c.possible) for c in made.values()} == {(262, True)}


def test_a_confusion_knows_kappa() -> None:
    from sklearn.metrics import cohen_kappa_score

    c = audits.Confusion(n=20, p=8, tp=6, fp=3)
    truth = [1] * 8 + [0] * 12
    judge = [1] * 6 + [0] * 2 + [1] * 3 + [0] * 9
    assert c.kappa == pytest.approx(cohen_kappa_score(truth, judge))
    assert c.agreement == pytest.approx(15 / 20)


def test_questions_have_the_printed_criteria() -> None:
    asked = consultations.questions()
    assert len({q.case_id for q in asked}) == 42
    assert sum(q.n_criteria for q in asked) == 1726
    assert min(q.n["core"] for q in asked) >= 1


def test_labels_earn_what_was_solved_for() -> None:
    asked = consultations.questions()
    responses = consultations.solve_responses("claude-4.6", asked)
    for question, response in zip(asked, responses, strict=True):
        labels = consultations.label_response("claude-4.6", question, response)
        weight = {"core": 2, "evidence": 1, "conditional": 1}
        kinds = dict(consultations.criteria_of(question))
        earned = sum(weight.get(kinds[name], 0) for name, true in labels.items() if true)
        assert earned == response.earned
        assert sum(labels[n] for n, k in kinds.items() if k == "minor") == response.minor


def test_a_printed_column_that_nothing_reads_is_an_error() -> None:
    table = PrintedTable("Table X", "", ("a", "b"), {"m": ("1", "2")}, {})
    entry = Entry.model_validate({"printed": "x", "row": "model", "columns": {"a": {}}})
    with pytest.raises(ConfigError, match="x: 'b' is not read"):
        list(_statements(entry, table))


def test_an_excuse_for_a_number_that_is_not_there_is_an_error() -> None:
    table = PrintedTable("Table X", "", ("a",), {"m": ("1",)}, {})
    excuse = {"row": "n", "column": "a", "why": "?", "instead": "2"}
    entry = Entry.model_validate(
        {"printed": "x", "row": "model", "columns": {"a": {}}, "gives_way": [excuse]}
    )
    with pytest.raises(ConfigError, match="no number stands at"):
        list(_statements(entry, table))
