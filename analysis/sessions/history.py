"""History-taking metrics (MedConsultBench, arXiv:2601.12661, table 1 and appendices D and E).

Each function takes columns with one entry per session, shape (n,), and returns the metric, NaN
where it is not defined. `analysis.sessions.history_counts` makes the columns.
"""

from __future__ import annotations

import numpy as np

from analysis.sessions.index import Bools, Floats, ratio


def mni_comp(found: Floats, necessary: Floats, t_dx: Floats, t_max: Floats) -> Floats:
    """MNI-Comp, bounded: coverage times a factor that is 1 in the first turn and 1 / T_max in the last.

    ``|U_Tdx ∩ U_mni| / |U_mni| · (T_max - T_dx + 1) / T_max``; in [0, 1], higher is better. Table 1
    says that 1.0 is full coverage at turn 1 and that it decays with delay; its printed factor
    T_max / T_dx is T_max there (see `mni_comp_printed`).

    Parameters
    ----------
    found : ndarray
        |U_Tdx ∩ U_mni|: necessary units revealed before the diagnosis.
    necessary : ndarray
        |U_mni|: union over the gold diagnoses; 0: not defined.
    t_dx : ndarray
        T_dx; 0 counts as 1; NaN (no diagnosis made) counts as T_max.
    t_max : ndarray
        T_max.

    Examples
    --------
    >>> one = np.ones(1)
    >>> mni_comp(2 * one, 4 * one, 4 * one, 10 * one)
    array([0.35])
    """
    turn = _turn_of_diagnosis(t_dx, t_max)
    return ratio(found, necessary) * (t_max - turn + 1) / t_max


def mni_comp_printed(found: Floats, necessary: Floats, t_dx: Floats, t_max: Floats) -> Floats:
    """MNI-Comp as printed (table 1, D.1): ``|U_Tdx ∩ U_mni| / |U_mni| · T_max / T_dx``; in [0, T_max].

    Parameters as in `mni_comp`; higher is better.
    """
    return ratio(found, necessary) * t_max / _turn_of_diagnosis(t_dx, t_max)


def mni_comp_capped(found: Floats, necessary: Floats, t_dx: Floats, t_max: Floats) -> Floats:
    """MNI-Comp as printed, at most 1; parameters as in `mni_comp`, higher is better."""
    return np.minimum(1.0, mni_comp_printed(found, necessary, t_dx, t_max))


def mni_coverage(found: Floats, necessary: Floats) -> Floats:
    """Coverage alone: ``|U_Tdx ∩ U_mni| / |U_mni|`` (D.1); in [0, 1], higher is better."""
    return ratio(found, necessary)


def red_flag_coverage(found: Floats, red_flags: Floats) -> Floats:
    """Share of the case's red flags revealed before the diagnosis; in [0, 1]; NaN: the case has none."""
    return ratio(found, red_flags)


def cprw(beyond: Floats, necessary: Floats) -> Floats:
    """Weighted critical-path redundancy (table 1, D.1): R_mass / M_mass; in [0, ∞), lower is better.

    Parameters
    ----------
    beyond : ndarray
        R_mass: sum of w_imp over U_Tdx without U_mni.
    necessary : ndarray
        M_mass: sum of w_imp over U_mni; 0: not defined.
    """
    return ratio(beyond, necessary)


def cprw_bounded(beyond: Floats, necessary: Floats) -> Floats:
    """CPRw / (1 + CPRw) = R / (R + M), in [0, 1]; lower is better. NaN where M is 0, as in `cprw`."""
    return np.where(necessary == 0, np.nan, ratio(beyond, beyond + necessary))


def ige(gain: Floats, n_turns: Floats) -> Floats:
    """Information gain efficiency (table 1): ``Σ max(0, IG_t) / T_dx``; in [0, ∞) bits, higher is better.

    Parameters
    ----------
    gain : ndarray
        Sum of the positive gains up to T_dx, in bits; NaN where a turn has none.
    n_turns : ndarray
        T_dx, or the turns taken where no diagnosis was made. 0: nothing was asked, the value is 0.
    """
    return np.where(np.isnan(gain), np.nan, ratio(gain, n_turns, otherwise=0.0))


def hit_at_k(hits: Floats, in_slice: Floats, n_turns: Floats) -> Floats:
    """Hit@K (table 1, E.2): ``|{t ∈ T : Top-K(t) ∩ Q*_t ≠ ∅}| / |T|``; in [0, 1], higher is better.

    Parameters
    ----------
    hits : ndarray
        Turns of the slice with a hit.
    in_slice : ndarray
        |T|: turns up to T_dx for which an expert set is known and not empty. 0 although something
        was asked: not defined.
    n_turns : ndarray
        Turns asked. 0: no question matches an expert's, the value is 0.
    """
    return np.where(n_turns == 0, 0.0, ratio(hits, in_slice))


def povr_printed(wrong: Floats, pairs: Floats) -> Floats:
    """POVR as printed (table 1, E.1): ``|V| / |P|``, V = {(u, v) ∈ P : pos(u) > pos(v)}; lower is better.

    A pair of which one was never asked has no positions and is not in V. In [0, 1].

    Parameters
    ----------
    wrong : ndarray
        |V|.
    pairs : ndarray
        |P|: precedence pairs that apply to the case; 0: not defined.
    """
    return ratio(wrong, pairs)


def povr(wrong: Floats, pairs: Floats, n_turns: Floats) -> Floats:
    """POVR: as printed, and 1 where nothing was asked, as table 6 prints it for the refusal baseline.

    Parameters as in `povr_printed`; `n_turns` are the turns asked. In [0, 1], lower is better.
    """
    printed = povr_printed(wrong, pairs)
    return np.where((n_turns == 0) & ~np.isnan(printed), 1.0, printed)


def povr_strict(kept: Floats, pairs: Floats) -> Floats:
    """Share of pairs that were not both asked in their order: 1 - kept / |P|; in [0, 1], lower is better."""
    return 1.0 - ratio(kept, pairs)


def povr_asked(wrong: Floats, asked: Floats) -> Floats:
    """Share of wrong order among the pairs of which both were asked; NaN where there is none."""
    return ratio(wrong, asked)


def kiel(latency: Floats, key_units: Floats) -> Floats:
    """Key-information elicitation latency (D.2): ``1 - Σ l(u) / |U_key|``; in [0, 1], higher is better.

    Parameters
    ----------
    latency : ndarray
        Sum of l(u) over the key units: (t(u) - 1) / T_max for a unit first revealed in turn t(u), 0 for
        the opening, 1 for one that never was. The text of D.2 that defines l is cut.
    key_units : ndarray
        |U_key|; 0: not defined.
    """
    return 1.0 - ratio(latency, key_units)


def repetition(repeats: Floats, n_turns: Floats) -> Floats:
    """Share of turns that repeat an earlier intent, effectively or not (D.3); in [0, 1].

    Parameters
    ----------
    repeats : ndarray
        Turns up to T_dx whose intent an earlier turn had, and that bring something new (effective,
        higher is better) or do not (ineffective, lower is better).
    n_turns : ndarray
        Turns asked up to T_dx. 0: nothing was repeated, the value is 0.
    """
    return ratio(repeats, n_turns, otherwise=0.0)


def _turn_of_diagnosis(t_dx: Floats, t_max: Floats) -> Floats:
    none: Bools = np.isnan(t_dx)
    return np.where(none, t_max, np.maximum(t_dx, 1.0))
