"""Bring the first page up to date after a failure: the benchmarks that stand, and why others do not.

Called by the workflow's error handler with the configuration as JSON on standard input and the
benchmarks as arguments; it is not the script of a rule.
"""

import sys
from pathlib import Path

from analysis.config import Config
from analysis.reporting.render import render_page

config = Config.model_validate_json(sys.stdin.read())
render_page("index", config=config, benchmark=sys.argv[1:], out=Path(config.results) / "site" / "index.html")
