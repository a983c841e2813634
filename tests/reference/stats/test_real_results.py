"""Kernels on real evaluation results, against the reference numbers that come with them."""

import json

import numpy as np
import polars as pl
import pytest

from analysis.stats.concordance import pairwise_agreement
from analysis.stats.coverage import greedy_coverage, optimal_coverage, unique_solves
from analysis.stats.paired import compare_pairs
from analysis.stats.proportions import wilson_interval
from analysis.stats.tiers import adjacent_tiers

SUCCESS = {
    "gsm8k_2021": None,
    "helm_safety": {"safe/correct"},
    "jailbreakbench": {"jailbroken"},
    "llmdrift": None,
    "medagents": {"correct"},
}


def success(frame, card_success):
    if "correct" in frame.columns:
        return frame.with_columns(ok=pl.col("correct").cast(pl.Float64))
    return frame.with_columns(ok=pl.col("verdict").is_in(list(card_success)).cast(pl.Float64))


def matrices(folder, name):
    frame = success(pl.read_parquet(folder / name / "verdicts.parquet"), SUCCESS[name])
    reference = json.loads((folder / name / "reference.json").read_text())
    for track, expected in reference["tracks"].items():
        rows = frame if track == "all" else frame.filter(pl.col("track") == track)
        rows = rows.filter(pl.col("ok").is_not_null())
        cells = rows.group_by("model", "item_id").agg(pl.col("ok").mean(), pl.len().alias("runs"))
        models = sorted(cells["model"].unique().to_list())
        items = sorted(cells["item_id"].unique().to_list())
        place = {m: i for i, m in enumerate(models)}
        column = {m: i for i, m in enumerate(items)}
        scores = np.full((len(models), len(items)), np.nan)
        runs = np.zeros(scores.shape, dtype=int)
        for model, item, ok, n in cells.iter_rows():
            scores[place[model], column[item]] = ok
            runs[place[model], column[item]] = n
        yield track, expected, models, scores, runs


@pytest.mark.parametrize("name", sorted(SUCCESS))
def test_kernels_reproduce_the_reference(data_dir, name):
    for _, expected, models, scores, runs in matrices(data_dir, name):
        place = {m: i for i, m in enumerate(models)}
        solved = np.nan_to_num(scores) >= 0.5
        means = np.nanmean(scores, axis=1)
        for model, row in expected["model_scores"].items():
            assert means[place[model]] == pytest.approx(row["estimate"], abs=1e-9)
            if "wilson" in row:
                n = int(np.sum(~np.isnan(scores[place[model]])))
                interval = wilson_interval(round(np.nansum(scores[place[model]])), n, level=0.95)
                assert [interval.low, interval.high] == pytest.approx(row["wilson"], abs=1e-9)
        path = greedy_coverage(solved)
        got = [[models[m], g, c] for m, g, c in zip(path.order, path.gained, path.covered, strict=True)]
        assert got == expected["greedy"]
        assert dict(zip(models, unique_solves(solved).tolist(), strict=True)) == expected["unique"]
        codes = np.where(np.isnan(scores), -1, solved)
        agreement = pairwise_agreement(codes)
        for pair, row in expected["concordance"].items():
            a, b = (place[m] for m in pair.split("\t"))
            assert agreement.n_items[a, b] == row["n"]
            if row["n"]:
                assert agreement.agreement[a, b] == pytest.approx(row["correct_agreement"], abs=1e-9)
        order = [place[m] for m in expected["rank_order"]]
        if len(order) < 2:
            continue
        pairs = np.column_stack([order[:-1], order[1:]])
        tests = compare_pairs(
            scores, pairs=pairs, n_runs=np.maximum(runs, 1), rng=np.random.default_rng(0), n_resamples=50,
            n_permutations=200, level=0.95,
        )  # fmt: skip
        for i, row in enumerate(expected["adjacent"]):
            assert (tests.n_items[i], tests.n_better[i], tests.n_worse[i]) == (
                row["n"],
                row["better"],
                row["worse"],
            )
            if row["n"]:
                assert tests.difference[i] == pytest.approx(row["difference"], abs=1e-9)
            if row["p"] is not None:
                assert tests.p_value[i] == pytest.approx(row["p"], rel=1e-7)
                assert tests.method[i] == "sign_flip_exact"
        if "tiers" in expected:
            tiers = adjacent_tiers(tests.p_value, tests.difference, alpha=0.05)
            assert dict(zip(expected["rank_order"], tiers.tier.tolist(), strict=True)) == expected["tiers"]


def test_optimal_ensembles_of_medagents_are_proven_and_no_worse_than_greedy(data_dir):
    for track, _, _, scores, _ in matrices(data_dir, "medagents"):
        solved = np.nan_to_num(scores) >= 0.5
        result, path = optimal_coverage(solved), greedy_coverage(solved)
        assert all(e.proven for e in result), track
        assert all(e.covered >= g for e, g in zip(result, path.covered.tolist(), strict=True))
        assert all(e.covered == int(solved[list(e.members)].any(axis=0).sum()) for e in result)
        assert result[-1].covered == int(solved.any(axis=0).sum())
