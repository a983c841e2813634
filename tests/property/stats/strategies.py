"""Score matrices as they come from evaluations: few levels, missing cells, identical models."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

QUICK = settings(max_examples=40, deadline=None, derandomize=True)


@st.composite
def score_matrices(draw, max_models=6, max_items=14, levels=None, missing=True):
    n_models = draw(st.integers(2, max_models))
    n_items = draw(st.integers(1, max_items))
    step = levels or draw(st.sampled_from([1, 2, 3]))
    cells = [i / step for i in range(step + 1)] + ([np.nan] if missing else [])
    rows = draw(
        st.lists(
            st.lists(st.sampled_from(cells), min_size=n_items, max_size=n_items),
            min_size=n_models,
            max_size=n_models,
        )
    )
    if draw(st.booleans()):
        rows[-1] = rows[0]
    return np.array(rows, dtype=float)


@st.composite
def symmetric_relations(draw, max_models=14):
    n = draw(st.integers(1, max_models))
    pairs = n * (n - 1) // 2
    chosen = draw(st.lists(st.booleans(), min_size=pairs, max_size=pairs))
    relation = np.zeros((n, n), dtype=bool)
    relation[np.triu_indices(n, 1)] = chosen
    return relation | relation.T
