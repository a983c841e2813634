"""dataframely as `dy`, imported without what it would load and nothing here uses.

dataframely imports SQLAlchemy where it finds it (other packages bring it along), which costs every
job of the workflow half a second. It is hidden for that one import only.
"""

from __future__ import annotations

import sys

_HIDDEN = "sqlalchemy" not in sys.modules and "dataframely" not in sys.modules
if _HIDDEN:
    sys.modules["sqlalchemy"] = None  # type: ignore[assignment]
import dataframely as dy  # noqa: E402

if _HIDDEN:
    del sys.modules["sqlalchemy"]

__all__ = ["dy"]
