"""Vignette keys: locked, complete, older than the ratings."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from analysis.errors import ConfigError
from analysis.scoring.rubric.__main__ import main
from analysis.scoring.rubric.keys import load_keys, lock_keys, read_keys, write_keys
from analysis.scoring.rubric.model import Rubric
from tests.unit.rubric.conftest import key


def test_a_locked_key_survives_yaml_and_json(tmp_path: Path, clinical: Rubric) -> None:
    keys = [key("v1", "longitudinal", "longitudinal", hazards=[]), key("v2")]
    for name in ("k.yaml", "k.json"):
        write_keys(keys, tmp_path / name)
        assert read_keys(tmp_path / name, clinical) == keys


def test_a_change_after_locking_is_found(tmp_path: Path, clinical: Rubric) -> None:
    path = tmp_path / "k.yaml"
    write_keys([key()], path)
    content = yaml.safe_load(path.read_text())
    content["vignettes"][0]["hazards"][0]["statement"] = "omits the troponin"
    path.write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError, match="vignette 'v1': was changed after it was locked"):
        read_keys(path, clinical)
    with pytest.raises(ConfigError, match="1 locked key was changed, first 'v1'"):
        lock_keys(path)


def test_an_unlocked_key_is_refused_until_it_is_locked(tmp_path: Path, clinical: Rubric) -> None:
    path = tmp_path / "k.yaml"
    write_keys([key().model_copy(update={"sha256": ""})], path)
    with pytest.raises(ConfigError, match="has no sha256"):
        read_keys(path, clinical)
    assert lock_keys(path) == 1
    assert read_keys(path, clinical) == load_keys(path)
    assert lock_keys(path) == 0


def test_a_time_with_an_offset_is_the_same_moment_in_utc(tmp_path: Path) -> None:
    moved = key(prespecified_at="2026-05-01T11:00:00+02:00")
    assert moved.sha256 == key().sha256


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"time_limits": None}, "says nothing of time_limits; an empty list is an answer"),
        ({"features": ["moon"]}, "unknown feature 'moon'"),
        ({"task_type": "chat"}, "task_type 'chat'; allowed: diagnostic"),
        ({"hazards": [{"id": "h", "kind": "typo", "statement": "x"}]}, "hazard 'h' is of kind 'typo'"),
        (
            {"hazards": [{"id": "h", "kind": "material_delay", "statement": "x"}]},
            "is a delay and has no time_limit",
        ),
        ({"lists": {"typo": ["x"]}}, "unknown list 'typo'"),
        ({"not_elicited": {"9z": "x"}}, "names '9z', which is no score of the rubric"),
        ({"not_elicited": {"3a": " "}}, "gives no reason for '3a'"),
        (
            {"criteria": [{"id": "c", "domain": "1", "title": "x", "points": 1}]},
            "has criteria of its own, which rubric expressed_clinical_reasoning does not allow",
        ),
    ],
)
def test_what_a_key_must_say(
    tmp_path: Path, clinical: Rubric, other: dict[str, object], message: str
) -> None:
    content = {"item": "v1", "task": "diagnostic", **other}
    task = str(content.pop("task_type", content.pop("task")))
    content.pop("task", None)
    write_keys([key("v1", task, **{k: v for k, v in content.items() if k != "item"})], tmp_path / "k.yaml")
    with pytest.raises(ConfigError) as error:
        read_keys(tmp_path / "k.yaml", clinical)
    assert message in str(error.value)


def test_two_keys_of_one_vignette(tmp_path: Path, clinical: Rubric) -> None:
    write_keys([key(), key()], tmp_path / "k.yaml")
    with pytest.raises(ConfigError, match="vignette 'v1' has two keys"):
        read_keys(tmp_path / "k.yaml", clinical)


def test_the_command_locks_and_says_what_is_wrong(folder, clinical: Rubric, capsys) -> None:
    out = folder([key().model_copy(update={"sha256": ""})], [])
    assert main(["check", str(out)]) == 1
    assert "has no sha256" in capsys.readouterr().err
    assert main(["lock", str(out)]) == 0
    assert "1 key locked" in capsys.readouterr().out
