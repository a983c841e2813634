from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from analysis.stats.confidence_set import model_confidence_set
from analysis.stats.letters import compact_letters, letter_names
from analysis.stats.ranks import rank_intervals
from analysis.stats.tiers import adjacent_tiers


def test_the_papers_rule_divides_alpha_by_eight_for_nine_models():
    p = [0.005, 0.4, 0.2, 0.3, 0.5, 0.0062, 0.0063, 0.001]
    tiers = adjacent_tiers(p, [0.01] * 8, alpha=0.05)
    assert tiers.alpha_adjusted == 0.00625
    printed = Decimal(str(tiers.alpha_adjusted)).quantize(Decimal("0.0001"), ROUND_HALF_UP)
    assert str(printed) == "0.0063"
    assert tiers.tier.tolist() == [1, 2, 2, 2, 2, 2, 3, 3, 4]


def test_a_pair_that_was_not_tested_leaves_the_family_and_starts_no_tier():
    tiers = adjacent_tiers([0.02, np.nan, 0.02], [0.1, np.nan, 0.1], alpha=0.05)
    assert tiers.n_tested == 2
    assert tiers.alpha_adjusted == 0.025
    assert tiers.tier.tolist() == [1, 2, 2, 3]
    assert adjacent_tiers([np.nan], [np.nan], alpha=0.05).tier.tolist() == [1, 1]


def test_a_significant_difference_the_other_way_is_a_reversal():
    tiers = adjacent_tiers([0.001, 0.001, 0.001], [-0.1, 0.1, 0.0], alpha=0.05)
    assert tiers.reversal.tolist() == [True, False, False, False]
    assert tiers.tier.tolist() == [1, 1, 2, 2]


def test_one_model_is_one_tier():
    assert adjacent_tiers([], [], alpha=0.05).tier.tolist() == [1]


def test_a_p_value_at_the_threshold_starts_no_tier():
    assert adjacent_tiers([0.05], [0.1], alpha=0.05).tier.tolist() == [1, 1]


@pytest.mark.parametrize("alpha", [0, 1, 5])
def test_impossible_alpha_is_refused(alpha):
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        adjacent_tiers([0.5], [0.1], alpha=alpha)
    with pytest.raises(ValueError, match="one p-value and one difference"):
        adjacent_tiers([0.5], [], alpha=0.05)


def sharing(letters):
    def parse(word):
        out, i = [], 0
        while i < len(word):
            j = i + 1
            while j < len(word) and word[j].isdigit():
                j += 1
            out.append(word[i:j])
            i = j
        return set(out)

    sets = [parse(word) for word in letters]
    return np.array([[bool(a & b) for b in sets] for a in sets])


def differ(n, pairs):
    matrix = np.zeros((n, n), dtype=bool)
    for a, b in pairs:
        matrix[a, b] = matrix[b, a] = True
    return matrix


def test_letters_by_hand():
    assert compact_letters(differ(3, [])) == ["a", "a", "a"]
    assert compact_letters(differ(3, [(0, 1), (0, 2), (1, 2)])) == ["a", "b", "c"]
    assert compact_letters(differ(4, [(0, 2), (0, 3), (1, 3)])) == ["a", "ab", "bc", "c"]
    # Not an interval in rank order: first and last are tied, the middle differs from both.
    assert compact_letters(differ(3, [(0, 1), (1, 2)])) == ["a", "b", "a"]
    assert compact_letters(np.zeros((1, 1))) == ["a"]
    assert compact_letters(np.zeros((0, 0))) == []


def test_more_models_than_letters():
    n = 120
    letters = compact_letters(~np.eye(n, dtype=bool))
    assert letters[:2] == ["a", "b"]
    assert letters[51:54] == ["Z", "a2", "b2"]
    assert letters[104] == "a3"
    assert len(set(letters)) == n
    chain = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) > 1
    np.testing.assert_array_equal(sharing(compact_letters(chain)), ~chain)
    assert len(set(letter_names(500))) == 500


def test_graphs_with_very_many_cliques_get_a_cover():
    # 3 ** 12 maximal cliques: 12 groups of three models that differ within the group only.
    n = 36
    group = np.arange(n) // 3
    differs = (group[:, None] == group[None, :]) & ~np.eye(n, dtype=bool)
    np.testing.assert_array_equal(sharing(compact_letters(differs)), ~differs)


def test_letters_need_a_symmetric_square():
    with pytest.raises(ValueError, match="significant must be symmetric"):
        compact_letters([[0, 1], [0, 0]])
    with pytest.raises(ValueError, match="significant must be square"):
        compact_letters(np.zeros((2, 3)))


def test_rank_intervals_count_who_is_better_and_worse():
    differs = differ(4, [(0, 2), (0, 3), (1, 3)])
    scores = np.array([4.0, 3, 2, 1])
    low, high = rank_intervals(differs, np.subtract.outer(scores, scores))
    assert low.tolist() == [1, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 4]
    low, high = rank_intervals(np.zeros((1, 1)), np.zeros((1, 1)))
    assert (low.tolist(), high.tolist()) == ([1], [1])


def test_rank_intervals_refuse_a_decision_without_direction():
    with pytest.raises(ValueError, match="must have one direction"):
        rank_intervals(differ(2, [(0, 1)]), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="must be symmetric"):
        rank_intervals([[0, 1], [0, 0]], [[0, 1], [-1, 0]])
    with pytest.raises(ValueError, match="two square matrices"):
        rank_intervals(np.zeros((2, 2)), np.zeros((3, 3)))


def best_set(scores, alpha=0.1, **options):
    return model_confidence_set(scores, rng=np.random.default_rng(0), n_resamples=500, alpha=alpha, **options)


def test_one_model_is_the_best_set():
    assert best_set(np.ones((1, 5))).included.tolist() == [True]
    assert best_set(np.zeros((0, 5))).included.size == 0


def test_identical_models_are_all_best():
    scores = np.tile(np.arange(20) % 2, (4, 1)).astype(float)
    result = best_set(scores)
    assert result.p_value.tolist() == [1] * 4


def test_identical_losers_leave_together():
    rng = np.random.default_rng(1)
    good = (rng.random(60) < 0.9).astype(float)
    poor = (rng.random(60) < 0.3).astype(float)
    result = best_set(np.stack([poor, good, poor]))
    assert result.included.tolist() == [False, True, False]
    assert result.p_value[0] == result.p_value[2]


def test_a_model_that_always_wins_is_alone_given_enough_items():
    assert best_set(np.stack([np.ones(100), np.zeros(100)])).included.tolist() == [True, False]
    # Three items could agree by chance: no evidence.
    assert best_set(np.stack([np.ones(3), np.zeros(3)])).included.tolist() == [True, True]


def test_missing_cells_compare_common_items_only():
    rng = np.random.default_rng(3)
    easy, hard = np.arange(200) < 100, np.arange(200) >= 100
    # The second model saw hard items only and is better there; own means would put it last.
    first = np.where(easy, 1.0, (rng.random(200) < 0.2))
    second = np.where(hard, (rng.random(200) < 0.7), np.nan)
    result = best_set(np.stack([first, second]))
    assert result.included.tolist() == [False, True]


def test_models_without_common_items_stay_and_a_model_without_cells_does_not():
    scores = np.full((3, 40), np.nan)
    scores[0, :20] = np.arange(20) % 2
    scores[1, 20:] = 1
    result = best_set(scores)
    assert result.included.tolist() == [True, True, False]
    assert np.isnan(result.p_value[2])


def test_pooled_blocks_give_nearly_the_same_set(monkeypatch):
    rng = np.random.default_rng(5)
    scores = (rng.random((4, 4000)) < np.array([[0.5], [0.52], [0.53], [0.6]])).astype(float)
    scores[0, :400] = np.nan
    direct = model_confidence_set(scores, rng=np.random.default_rng(0), n_resamples=2000, alpha=0.05)
    monkeypatch.setattr("analysis.stats.resampling._KEPT_VALUES", 1)
    pooled = model_confidence_set(scores, rng=np.random.default_rng(0), n_resamples=2000, alpha=0.05)
    np.testing.assert_array_equal(direct.included, pooled.included)
    np.testing.assert_allclose(direct.p_value, pooled.p_value, atol=0.03)
    complete = scores[1:]
    monkeypatch.undo()
    direct = model_confidence_set(complete, rng=np.random.default_rng(0), n_resamples=2000, alpha=0.05)
    monkeypatch.setattr("analysis.stats.resampling._KEPT_VALUES", 1)
    pooled = model_confidence_set(complete, rng=np.random.default_rng(0), n_resamples=2000, alpha=0.05)
    np.testing.assert_allclose(direct.p_value, pooled.p_value, atol=0.03)
