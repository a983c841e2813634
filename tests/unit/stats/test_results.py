import numpy as np
import pytest

from analysis.stats.results import Intervals, MeanEstimates


def means(**changes):
    fields = {
        "estimate": [0.5],
        "std_error": [0.1],
        "ci_low": [0.3],
        "ci_high": [0.7],
        "level": 0.95,
        "method": "x",
        "n_items": [10],
        "n_clusters": [5],
    }
    return MeanEstimates(**(fields | changes))


def test_results_cannot_be_changed():
    result = means()
    with pytest.raises(ValueError, match="read-only"):
        result.estimate[0] = 1
    with pytest.raises(AttributeError):
        result.level = 0.9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ci_low": [0.8]}, "a lower limit exceeds its upper limit"),
        ({"ci_low": [np.nan]}, "an interval has both limits or none"),
        ({"std_error": [0.1, 0.2]}, r"std_error has shape \(2,\), estimate has \(1,\)"),
        ({"estimate": [np.nan]}, "an estimate is NaN exactly where a model has no item"),
        ({"n_clusters": [11]}, "more clusters than items"),
        ({"std_error": [-0.1]}, "a standard error is negative"),
        ({"level": 1.0}, "level must be between 0 and 1"),
    ],
)
def test_impossible_results_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        means(**changes)


def test_crossed_limits_are_refused():
    with pytest.raises(ValueError, match="exceeds"):
        Intervals(np.array([0.6]), np.array([0.5]), 0.95, "x")
