"""The rules themselves: what they depend on, where they log, how they read."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.code_inputs import code_of
from analysis.derived import RULES

RULE_FILES = sorted((Path(__file__).parents[2] / "rules").glob("*.smk"))
TEXT = "\n".join(path.read_text() for path in RULE_FILES)
RULE = re.compile(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", re.S | re.M)
BODIES: dict[str, str] = dict(RULE.findall(TEXT))
PRODUCING = {name: body for name, body in BODIES.items() if "script:" in body}


def test_there_are_rules() -> None:
    assert set(RULES) <= set(PRODUCING)


@pytest.mark.parametrize("name", sorted(BODIES))
def test_a_rule_says_what_it_does(name: str) -> None:
    assert re.match(r'\s+"""[A-Z][^"]*\."""\n', BODIES[name]), name


@pytest.mark.parametrize("name", sorted(PRODUCING))
def test_a_log_is_named_by_its_rule_and_all_its_wildcards(name: str) -> None:
    body = PRODUCING[name]
    log = re.search(r'log:\s+f?"\{LOGS\}/([^"]+)"', body)
    assert log is not None, "no log"
    output = re.search(r"output:\n(.*?)(?=^    \w+:$)", body, re.S | re.M)
    made = output.group(1) if output else ""
    # table(...) and CARD stand for paths of one benchmark.
    made = re.sub(r"table\(|\bCARD\b|\bVALIDATED\b", "{{benchmark}}", made)
    wildcards = set(re.findall(r"\{\{(\w+)\}\}", made))
    expected = name if not wildcards else "/".join([name, *(f"{{{{{w}}}}}" for w in sorted(wildcards))])
    assert log.group(1) == f"{expected}.log"


def test_no_two_rules_share_a_log() -> None:
    logs = [re.search(r'log:\s+f?"([^"]+)"', body).group(1) for body in PRODUCING.values()]  # type: ignore[union-attr]
    assert len(set(logs)) == len(logs)


@pytest.mark.parametrize("name", sorted(PRODUCING))
def test_directives_stand_in_one_order(name: str) -> None:
    order = ["input", "output", "log", "benchmark", "conda", "resources", "params", "script"]
    found = re.findall(r"^    (\w+):$", PRODUCING[name], re.M)
    assert found == [d for d in order if d in found]


@pytest.mark.parametrize("name", sorted(PRODUCING))
def test_code_inputs_are_the_modules_that_the_script_imports(name: str, root: Path) -> None:
    """Import what the script and its rule import, in a fresh process, and compare with the rule's list."""
    body = PRODUCING[name]
    declared = re.search(r"code=code_of\((.*?)\)", body, re.S)
    assert declared is not None, "a rule lists its code"
    modules = re.findall(r'"([\w.]+)"', declared.group(1))
    for name_of_list, listed in re.findall(r"^(\w+_MODULES) = \((.*?)\)$", TEXT, re.S | re.M):
        if f"*{name_of_list}" in declared.group(1):
            modules += re.findall(r'"([\w.]+)"', listed)
    script = re.search(r'script:\s+"([^"]+)"', body)
    assert script is not None
    tree = ast.parse((root / "rules" / script.group(1)).read_text())
    wanted = [
        n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module.startswith("analysis")
    ]
    wanted += [RULES[name]] if name in RULES else []
    own = "[m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'analysis']"
    code = f"import {', '.join(wanted)}, sys; print(*{own})"
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    imported = {Path(p).relative_to(root).as_posix() for p in out.stdout.split()}
    assert imported <= set(code_of(*modules)), imported - set(code_of(*modules))


def test_code_of_follows_imports_inside_functions(tmp_path: Path) -> None:
    assert "analysis/stats/optimal.py" in code_of("analysis.tables.coverage")
    assert "analysis/tables/labels.py" not in code_of("analysis.tables.coverage")
