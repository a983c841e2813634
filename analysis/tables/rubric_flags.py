"""Agreement on flags, floor and ceiling, correlations of domains with the errors they share."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from analysis.schemas import DomainCorrelations, FlagAgreement, FloorCeiling
from analysis.scoring.rubric.lines import entries
from analysis.seeds import generator_for
from analysis.stats.additive import Estimates, bootstrap_sums
from analysis.stats.agreement import estimate_agreement
from analysis.stats.correlation import estimate_pearson
from analysis.stats.proportions import clopper_pearson_interval
from analysis.stats.resampled_units import ResampledUnits
from analysis.tables.data import BenchmarkData, table_frame
from analysis.tables.rubric_layout import RESPONSE, BoolArray, IntArray, RubricLayout, item_units

ANY_HUMAN = "human (any)"
NOTABLE = 0.15
"""Share at an end of the scale from which there is a floor or ceiling effect (McHorney and Tarlov 1995,
doi:10.1007/BF01593882; Terwee and others 2007, doi:10.1016/j.jclinepi.2006.03.012)."""


def _units(data: BenchmarkData, clusters: IntArray) -> ResampledUnits:
    return ResampledUnits.create(
        clusters.size,
        rng=generator_for(data.settings.seed, "resample", "rubric", "raters"),
        n_resamples=data.settings.resamples,
        clusters=clusters,
    )


def flag_agreement(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Compare every two raters, and every other rater with the humans together, on the flag.

    Returns
    -------
    pl.DataFrame
        Rows of the `FlagAgreement` schema.
    """
    parts: list[pl.DataFrame] = [FlagAgreement.create_empty()]
    answers = dict(layout.flags)
    kinds = dict(zip(layout.raters, layout.kinds, strict=True))
    if not answers:
        return parts[0]
    units = _units(data, layout.clusters(data))
    order = sorted(layout.raters, key=lambda r: (kinds[r] == "human", r))
    pairs = list(combinations(order, 2))
    if list(kinds.values()).count("human") > 1:
        answers[ANY_HUMAN], kinds[ANY_HUMAN] = layout.flagged("human", "any"), "human"
        pairs += [(r, ANY_HUMAN) for r in order if kinds[r] != "human"]
    for a, b in pairs:
        x, y = answers[a], answers[b]
        if np.any((x >= 0) & (y >= 0)):
            parts.append(_flag_rows(a, b, kinds, x, y, units, data.settings.level))
    return pl.concat(parts)


def _flag_rows(
    a: str, b: str, kinds: dict[str, str], x: IntArray, y: IntArray, units: ResampledUnits, level: float
) -> pl.DataFrame:
    both = (x >= 0) & (y >= 0)
    n11, n10, n01, n00 = (
        int(np.sum(both & (x == i) & (y == j))) for i, j in ((1, 1), (1, 0), (0, 1), (0, 0))
    )
    n = int(both.sum())
    kappa = estimate_agreement(x, y, 2, units=units, level=level)["kappa"]
    against = kinds[a] != kinds[b]
    shares = {
        "agreement": (n11 + n00, n),
        "sensitivity": (n11, n11 + n01 if against else 0),
        "specificity": (n00, n00 + n10 if against else 0),
    }
    columns: dict[str, object] = {
        "rater_a": a,
        "rater_b": b,
        "kind_a": kinds[a],
        "kind_b": kinds[b],
        "n": n,
        "n_both": n11,
        "n_only_a": n10,
        "n_only_b": n01,
        "n_neither": n00,
        "kappa": kappa[0],
        "kappa_low": kappa[1],
        "kappa_high": kappa[2],
        "positive_agreement": 2 * n11 / (2 * n11 + n10 + n01) if n11 + n10 + n01 else None,
        "level": level,
    }
    for name, (yes, of) in shares.items():
        limits = clopper_pearson_interval(yes if of else 0, of, level=level)
        columns |= {
            name: yes / of if of else None,
            f"{name}_low": float(limits.low),
            f"{name}_high": float(limits.high),
        }
    return table_frame(FlagAgreement, columns, 1)


def floor_ceiling(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Return the shares of single ratings at the ends of the scale.

    Returns
    -------
    pl.DataFrame
        Rows of the `FloorCeiling` schema; limits are null where all resamples are equal.
    """
    scale, level = layout.state.rubric.scale, data.settings.level
    parts: list[pl.DataFrame] = [FloorCeiling.create_empty()]
    rows = layout.sheets.filter(
        pl.col("criterion_id").is_in(layout.plan.fields) & pl.col("value").is_not_null()
    )
    for kind in layout.present_kinds:
        own_kind = rows.filter(pl.col("rater_kind") == kind)
        for name in layout.common_lines:
            own = own_kind.filter(pl.col("criterion_id") == name)
            if not own.height:
                continue
            found = _end_shares(
                own, scale.low, scale.high, _units(data, item_units(own["item_id"], data)), level
            )
            ends = [found[end][0] > NOTABLE for end in ("floor", "ceiling")]
            effect = "both" if all(ends) else "floor" if ends[0] else "ceiling" if ends[1] else ""
            columns: dict[str, object] = {
                "raters": kind,
                "criterion_id": name,
                "n": own.height,
                "effect": effect,
            }
            for end in ("floor", "ceiling"):
                share, low, high = found[end]
                columns |= {end: share, f"{end}_low": low, f"{end}_high": high}
            parts.append(table_frame(FloorCeiling, columns, 1))
    return pl.concat(parts)


def _end_shares(rows: pl.DataFrame, low: int, high: int, units: ResampledUnits, level: float) -> Estimates:
    value = rows["value"].to_numpy()
    tables = units.totals(np.stack([np.ones(value.size), value == low, value == high]))
    boot = bootstrap_sums(tables, lambda sums: sums[..., 1:] / sums[..., :1], units.draws)
    return Estimates.from_bootstrap(("floor", "ceiling"), boot, level, value.size)


def domain_correlations(data: BenchmarkData, layout: RubricLayout) -> pl.DataFrame:
    """Correlate domains over responses, with and without responses whose errors were counted twice.

    Returns
    -------
    pl.DataFrame
        Rows of the `DomainCorrelations` schema.
    """
    parts: list[pl.DataFrame] = [DomainCorrelations.create_empty()]
    units, level = _units(data, layout.clusters(data)), data.settings.level
    for kind in layout.present_kinds:
        scores = layout.units(layout.prespecified(layout.of_kind(kind)[0]))
        shared = _shared_errors(layout, kind)
        for a, b in combinations(layout.plan.domains, 2):
            x, y = scores["domain", a], scores["domain", b]
            if not np.any(~np.isnan(x) & ~np.isnan(y)):
                continue
            n_errors, at = shared.get((a, b), (0, np.zeros(x.size, dtype=bool)))
            whole = estimate_pearson(x, y, units=units, level=level)
            rest = estimate_pearson(np.where(at, np.nan, x), y, units=units, level=level)
            columns = {
                "raters": kind,
                "domain_a": a,
                "domain_b": b,
                "n": whole.n_items,
                "pearson": whole.estimate[0],
                "ci_low": whole.ci_low[0],
                "ci_high": whole.ci_high[0],
                "level": level,
                "n_shared_errors": n_errors,
                "n_shared_responses": int(np.count_nonzero(at)),
                "pearson_without": rest.estimate[0],
                "without_low": rest.ci_low[0],
                "without_high": rest.ci_high[0],
            }
            parts.append(table_frame(DomainCorrelations, columns, 1))
    return pl.concat(parts)


def _shared_errors(layout: RubricLayout, kind: str) -> dict[tuple[str, str], tuple[int, BoolArray]]:
    """Return, per pair of domains, the errors noted in both and the responses that have one.

    An error is what raters gave one identifier in one response.
    """
    rows = layout.sheets.filter((pl.col("rater_kind") == kind) & pl.col("error_ids").is_not_null())
    place = {key: i for i, key in enumerate(layout.responses.select(RESPONSE).iter_rows())}
    domains: dict[tuple[int, str], set[str]] = {}
    for model, item, run, criterion, text in rows.select(*RESPONSE, "criterion_id", "error_ids").iter_rows():
        domain = layout.state.domain_of.get(criterion)
        if domain is None:
            continue
        for error in entries(text):
            domains.setdefault((place[model, item, run], error), set()).add(domain)
    out: dict[tuple[str, str], tuple[int, BoolArray]] = {}
    for (response, _), found in domains.items():
        for pair in combinations([d for d in layout.plan.domains if d in found], 2):
            n, at = out.get(pair, (0, np.zeros(layout.responses.height, dtype=bool)))
            at[response] = True
            out[pair] = n + 1, at
    return out
