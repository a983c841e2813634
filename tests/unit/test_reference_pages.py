"""What is generated from the code is committed as the code would write it now."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.reference import generated_files


@pytest.mark.parametrize("name", sorted(generated_files()))
def test_generated_files_are_in_step(name: str, root: Path) -> None:
    assert (root / name).read_text(encoding="utf-8") == generated_files()[name], "make docs renews it"


def test_every_key_of_the_default_configuration_is_the_default(root: Path) -> None:
    from analysis.config import Config, read_config

    assert read_config(root / "config" / "config.yaml") == Config()


def test_the_picture_of_the_workflow_names_every_rule(root: Path) -> None:
    picture = (root / "docs" / "workflow.svg").read_text(encoding="utf-8")
    from analysis.derived import RULES

    assert [rule for rule in RULES if f">{rule}</text>" not in picture] == []
