"""The items: identifiers, question types, what the gold answer asks for, and the guideline workspace."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from analysis.demo.odbb.choices import SEED
from analysis.demo.odbb.published import CRC, QUESTION_TYPES
from analysis.seeds import generator_for

GASTROINTESTINAL = (
    "ampullary",
    "anal",
    "biliary_tract",
    "colon",
    "esophageal",
    "gastric",
    "hepatocellular",
    "pancreatic",
    "rectal",
    "small_bowel",
)
OTHER_WORKSPACES = (
    "acute_lymphoblastic_leukemia",
    "acute_myeloid_leukemia",
    "adrenal",
    "al_amyloidosis",
    "basal_cell_skin",
    "bladder",
    "bone_sarcoma",
    "brain_metastases",
    "breast_invasive",
    "breast_noninvasive",
    "burkitt_lymphoma",
    "carcinoid",
    "castleman",
    "cervical",
    "chronic_lymphocytic_leukemia",
    "chronic_myeloid_leukemia",
    "cutaneous_lymphoma",
    "dermatofibrosarcoma",
    "diffuse_large_b_cell_lymphoma",
    "endometrial",
    "ewing_sarcoma",
    "follicular_lymphoma",
    "gestational_trophoblastic",
    "glioma",
    "hairy_cell_leukemia",
    "head_and_neck",
    "histiocytosis",
    "hodgkin_lymphoma",
    "kaposi_sarcoma",
    "kidney",
    "lung_non_small_cell",
    "lung_small_cell",
    "mantle_cell_lymphoma",
    "marginal_zone_lymphoma",
    "mastocytosis",
    "medulloblastoma",
    "melanoma_cutaneous",
    "melanoma_uveal",
    "meningioma",
    "merkel_cell",
    "mesothelioma_pleural",
    "multiple_myeloma",
    "myelodysplastic",
    "myeloproliferative",
    "neuroblastoma",
    "neuroendocrine",
    "occult_primary",
    "osteosarcoma",
    "ovarian",
    "penile",
    "prostate",
    "soft_tissue_sarcoma",
    "squamous_cell_skin",
    "t_cell_lymphoma",
    "testicular",
    "thymic",
    "thyroid",
    "vulvar",
    "wilms_tumor",
)
"""The paper counts 69 workspaces, 59 of them not gastrointestinal (2.2, 2.5). Which they are is ours."""


def item_table(kind: npt.NDArray[np.int64]) -> pl.DataFrame:
    """Return `items.parquet`: one row per item, in the order of `kind`.

    Parameters
    ----------
    kind : ndarray, shape (2005,)
        Question type of each item, an index into `published.QUESTION_TYPES`.
    """
    position = np.concatenate([np.arange(1, q.n_items + 1) for q in QUESTION_TYPES])
    codes = [QUESTION_TYPES[q].code.lower() for q in kind]
    item_ids = [f"{code}-{n:04d}" for code, n in zip(codes, position, strict=True)]
    names = np.array([*GASTROINTESTINAL, *OTHER_WORKSPACES])
    workspace = _workspaces(int((kind != CRC).sum()), len(names))
    cluster = np.array(item_ids, dtype=object)
    cluster[kind != CRC] = names[workspace]
    area = np.where(workspace < len(GASTROINTESTINAL), "gastrointestinal", "other")
    areas = np.full(len(kind), "gastrointestinal", dtype=object)
    areas[kind != CRC] = area
    return pl.DataFrame(
        {
            "item_id": item_ids,
            "track": [QUESTION_TYPES[q].track for q in kind],
            "question_type": [QUESTION_TYPES[q].name for q in kind],
            "cluster_id": cluster.tolist(),
            "gold_intent": [QUESTION_TYPES[q].gold for q in kind],
            "workspace_area": areas.tolist(),
        }
    )


def _workspaces(n_items: int, n_workspaces: int) -> npt.NDArray[np.int64]:
    """Assign every NCCN item a workspace; each has at least four items, large ones several times more."""
    rng = generator_for(SEED, "odbb", "workspaces")
    size = rng.gamma(2.0, size=n_workspaces) + 0.5
    size[: len(GASTROINTESTINAL)] *= 2  # section 2.5: gastrointestinal cancers dominate the item pool
    assured = np.repeat(np.arange(n_workspaces), 4)
    rest = rng.choice(n_workspaces, n_items - len(assured), p=size / size.sum())
    return rng.permutation(np.concatenate([assured, rest]))
