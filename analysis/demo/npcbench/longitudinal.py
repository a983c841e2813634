"""L5: 305 decisions of 100 patients (A4, A10), and full history against a snapshot (A25)."""

from __future__ import annotations

import numpy as np

from analysis.demo.npcbench.choices import stream
from analysis.demo.npcbench.frames import Part
from analysis.demo.npcbench.printed import half_unit, printed
from analysis.demo.npcbench.program import Counts, Ints, inside

TRACK, HISTORY, SNAPSHOT = "L5", "L5 full history", "L5 snapshot"
Z95 = 1.959964


def depths() -> Ints:
    """Return the number of turns of each patient (A4)."""
    by_depth = printed("table_a4").counts("L5 patients")
    return np.repeat([int(d) for d in by_depth], list(by_depth.values())).astype(np.int64)


def reconstruct_longitudinal() -> Part:
    """Return items and answers of the three L5 tracks."""
    part, depth = Part(), depths()
    shuffled = stream("longitudinal", "patients").permutation(depth)
    for track, prefix in ((TRACK, "L5"), (HISTORY, "L5H"), (SNAPSHOT, "L5S")):
        for p, d in enumerate(shuffled):
            for t in range(d):
                question = f"L5-{p + 1:03d}-turn-{t + 1}"
                cluster = f"L5-{p + 1:03d}"
                part.add_item(
                    f"{prefix}-{p + 1:03d}-turn-{t + 1}",
                    track,
                    cluster,
                    "turn",
                    position=t + 1,
                    question=question,
                )
    for model in printed("table_a10").models:
        _answer_turns(part, model, shuffled)
    for model in printed("table_a25").models:
        _answer_both(part, model, shuffled)
    return part


def right_turns(model: str) -> dict[int, Ints]:
    """Return, per number of turns d, how many patients have 0 to d of them right (A10)."""
    table = printed("table_a10")
    sizes = {int(d): n for d, n in printed("table_a4").counts("L5 patients").items()}
    cells = [(d, c) for d in sizes for c in range(d + 1)]
    n_patients, n_turns = sum(sizes.values()), sum(d * n for d, n in sizes.items())
    rate = table.value(model, "turn") / 100
    program = Counts(len(cells))
    program.stay_near([sizes[d] * _binomial(c, d, rate) for d, c in cells])
    for d, n in sizes.items():
        program.require([float(e == d) for e, _ in cells], n)
    program.require([float(c) for _, c in cells], table.successes(model, "turn", n_turns))
    macro = table.cell(model, "patient macro")
    low, high = inside(float(macro), half_unit(macro))
    program.require([100 * c / d / n_patients for d, c in cells], low, high)
    n_all = table.successes(model, "all-turn success", n_patients)
    program.require([float(c == d) for d, c in cells], n_all)
    counts = program.solve()
    return {d: counts[[i for i, (e, _) in enumerate(cells) if e == d]] for d in sizes}


def _binomial(k: int, n: int, p: float) -> float:
    from math import comb

    return comb(n, k) * p**k * (1 - p) ** (n - k)


def _answer_turns(part: Part, model: str, depth: Ints) -> None:
    rng, by_depth = stream("longitudinal", model), right_turns(model)
    for d, counts in by_depth.items():
        n_right = rng.permutation(np.repeat(np.arange(d + 1), counts))
        for p, k in zip(np.flatnonzero(depth == d), n_right, strict=True):
            right = set(rng.permutation(d)[:k].tolist())
            for t in range(d):
                part.answer(model, f"L5-{p + 1:03d}-turn-{t + 1}", t in right)


def _answer_both(part: Part, model: str, depth: Ints) -> None:
    """Lay the turns corrected and harmed by the history over the patients.

    Their numbers are printed; how they lie in patients is not, but the width of the printed interval
    is. Turns are exchanged between patients until the standard error of the difference comes close.
    """
    table, rng = printed("table_a25"), stream("longitudinal", "history", model)
    n = int(depth.sum())
    history, snapshot = (table.successes(model, c, n) for c in ("history", "snapshot"))
    gained, lost = table.count(model, "corrected"), table.count(model, "harmed")
    if history - snapshot != gained - lost:
        raise ValueError(f"{model}: {history} - {snapshot} is not {gained} - {lost}")
    states = rng.permutation(np.repeat([2, 1, -1, 0], [history - gained, gained, lost, n - history - lost]))
    patient = np.repeat(np.arange(depth.size), depth)
    change = np.where(np.abs(states) == 1, states, 0)
    width = table.value(model, "high") - table.value(model, "low")
    order = _towards(change, patient, depth, width / (2 * Z95 * 100), rng)
    states = states[order]
    turn = np.concatenate([np.arange(d) for d in depth])
    for p, t, state in zip(patient, turn, states, strict=True):
        name = f"{p + 1:03d}-turn-{t + 1}"
        part.answer(model, f"L5H-{name}", state in (1, 2))
        part.answer(model, f"L5S-{name}", state in (-1, 2))


def standard_error(change: Ints, patient: Ints, depth: Ints) -> float:
    """Return the linearised standard error of the difference of two turn accuracies over patients."""
    total = np.bincount(patient, weights=change, minlength=depth.size)
    residual = total - change.sum() / depth.sum() * depth
    return float(np.sqrt((residual**2).sum()) / depth.sum())


def _towards(change: Ints, patient: Ints, depth: Ints, target: float, rng: np.random.Generator) -> Ints:
    """Return an order of the turns whose standard error is close to the target."""
    order = np.arange(change.size)
    error = abs(standard_error(change, patient, depth) - target)
    for _ in range(3000):
        if error < 2e-5:
            break
        i, j = rng.integers(change.size, size=2)
        if change[order[i]] == change[order[j]]:
            continue
        order[[i, j]] = order[[j, i]]
        now = abs(standard_error(change[order], patient, depth) - target)
        if now < error:
            error = now
        else:
            order[[i, j]] = order[[j, i]]
    return order
