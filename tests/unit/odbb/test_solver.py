"""The parts of the reconstruction: the program, the printed-value rule, the raking, the regimens."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.demo.odbb.content import _regimens
from analysis.demo.odbb.patterns import SOLVED, K, Program, _raked, plausible_patterns
from analysis.demo.odbb.published import QUESTION_TYPES
from analysis.demo.odbb.statements import Statement, _refuse_unknown, meets, statements
from analysis.demo.odbb.verdicts import CORRECT, INCORRECT, PARTIAL, lay_out
from analysis.errors import ConfigError


def test_the_program_moves_no_more_items_than_it_must() -> None:
    start = np.zeros((7, 512), dtype=np.int64)
    start[0, 0], start[0, 511] = 6, 4
    program = Program()
    program.require("ten items", [0], np.ones(512), 10)
    program.require("three are solved by all", [0], K == 9, 3)
    counts = program.solve(start)
    assert counts[0].sum() == 10
    assert counts[0, 511] == 3
    # One item leaves the full pattern and arrives at another one: two moves.
    assert np.abs(counts - start).sum() == 2


def test_the_program_says_when_statements_contradict_each_other() -> None:
    program = Program()
    program.require("five items", [0], np.ones(512), 5)
    program.require("six of them are solved by all", [0], K == 9, 6)
    with pytest.raises(RuntimeError, match="the statements about correctness contradict each other"):
        program.solve(np.zeros((7, 512), dtype=np.int64))


def test_the_starting_benchmark_has_the_sizes_of_table_4() -> None:
    counts = plausible_patterns()
    assert counts.sum(axis=1).tolist() == [q.n_items for q in QUESTION_TYPES]
    assert counts[:, 0].tolist() == [q.n_zero_correct for q in QUESTION_TYPES]


def test_raking_meets_the_rates() -> None:
    share = np.zeros(512)
    share[1:] = 1 / 511
    rate = np.linspace(0.2, 0.6, 9)
    np.testing.assert_allclose(_raked(share, rate) @ SOLVED, rate, atol=1e-3)


def test_laid_out_items_show_the_pattern_counts() -> None:
    counts = plausible_patterns()
    kind, solved = lay_out(counts)
    assert np.bincount(kind).tolist() == [q.n_items for q in QUESTION_TYPES]
    np.testing.assert_array_equal(solved[:, kind == 6].sum(axis=1), counts[6] @ SOLVED)


@pytest.mark.parametrize("gold", [1, 2, 3])
def test_regimens_fit_their_verdict(gold: int) -> None:
    assert (gold, gold) in _regimens(gold, CORRECT)
    assert all(match == 0 for _, match in _regimens(gold, INCORRECT))
    assert all(0 < 2 * match / (gold + given) < 0.67 for given, match in _regimens(gold, PARTIAL))


@pytest.mark.parametrize(
    ("value", "printed", "agrees"),
    [
        (845, "845", True),
        (844, "845", False),
        (0.3725, "0.372", True),
        (0.37251, "0.372", False),
        (0.6648, "66.4 %", False),
        (2.8214, "2.8 x", True),
        (-0.3135, "-31 %", True),
        (0.0499, "< 5 %", True),
        (0.05, "< 5 %", False),
        (0.77, "<= 0.77", True),
        (0.51, "> 50 %", True),
        (0.0, "yes", False),
    ],
)
def test_printed_values_agree_to_their_precision(value: float, printed: str, agrees: bool) -> None:
    assert meets(value, printed) is agrees


def test_a_printed_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(ConfigError, match="printed value 'about 4' is neither a number nor a comparison"):
        meets(4, "about 4")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (Statement("3.2", "", "stricd", {}, "1"), "'stricd' is not a measure"),
        (Statement("3.2", "", "strict", {}, "1"), "missing a required argument: 'model'"),
        (Statement("3.2", "", "n_items", {}, "1", gives_way="so"), "gives_way and instead stand together"),
    ],
)
def test_a_faulty_statement_is_refused(statement: Statement, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        _refuse_unknown(statement)


def test_statements_are_distinct_and_named_by_place() -> None:
    names = [s.name for s in statements()]
    assert len(set(names)) == len(names) > 200
    assert all(s.place and s.says for s in statements())
