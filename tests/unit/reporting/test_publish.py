"""Publishing into folders and branches, and refusing to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from analysis.config import Config, Publish
from analysis.reporting.publish import MARKER, Published, PublishError, publish_site


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Make a site of three files."""
    site = tmp_path / "results" / "site"
    (site / "b" / "figures").mkdir(parents=True)
    (site / "index.html").write_text("index")
    (site / "b" / "index.html").write_text("report")
    (site / "b" / "figures" / "x.svg").write_text("<svg/>")
    return site.parent


def config(results: Path, **publish: object) -> Config:
    return Config(results=str(results), publish=Publish(**publish))  # type: ignore[arg-type]


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with one commit on `main` and a remote."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Tester")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "tester@example.org")
    folder, remote = tmp_path / "repository", tmp_path / "remote.git"
    folder.mkdir()
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(folder, "init", "-q", "-b", "main")
    (folder / "README").write_text("mine")
    git(folder, "add", "README")
    git(folder, "commit", "-q", "-m", "Start")
    git(folder, "remote", "add", "origin", str(remote))
    return folder


def tree(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_receives_the_site_and_follows_it(results: Path, tmp_path: Path) -> None:
    target = tmp_path / "public"
    files = {"index.html", "b/index.html", "b/figures/x.svg"}
    assert publish_site(config(results, folder=str(target))) == Published(str(target), 3, True, False)
    assert tree(target) == files | {".nojekyll", MARKER}
    assert not publish_site(config(results, folder=str(target))).changed
    (target / "CNAME").write_text("example.org")
    (results / "site" / "b" / "figures" / "x.svg").unlink()
    (results / "site" / "index.html").write_text("new")
    assert publish_site(config(results, folder=str(target))).changed
    assert tree(target) == {"index.html", "b/index.html", "CNAME", ".nojekyll", MARKER}
    assert not (target / "b" / "figures").exists()
    assert (target / "index.html").read_text() == "new"


def test_a_folder_with_other_files_is_left_alone(results: Path, tmp_path: Path) -> None:
    target = tmp_path / "documents"
    target.mkdir()
    (target / "thesis.txt").write_text("precious")
    with pytest.raises(PublishError) as caught:
        publish_site(config(results, folder=str(target)))
    assert str(caught.value) == (
        f"publish.folder {target}: holds files that were not published from here (it has no {MARKER}); "
        "name an empty folder"
    )
    assert tree(target) == {"thesis.txt"}


def test_a_forged_list_of_files_removes_nothing_outside(results: Path, tmp_path: Path) -> None:
    target = tmp_path / "public"
    publish_site(config(results, folder=str(target)))
    outside = tmp_path / "outside.txt"
    outside.write_text("precious")
    (target / MARKER).write_text('{"written_by": "verdict-atlas", "files": ["../outside.txt"]}')
    publish_site(config(results, folder=str(target)))
    assert outside.read_text() == "precious"


@pytest.mark.parametrize("inside", ["site", "site/deeper", "."])
def test_the_site_is_not_published_into_itself(results: Path, inside: str) -> None:
    with pytest.raises(PublishError, match="must lie apart from the site itself"):
        publish_site(config(results, folder=str(results / inside)))


def test_without_a_site_there_is_nothing_to_publish(tmp_path: Path) -> None:
    with pytest.raises(PublishError, match=r"there is no site in .*; snakemake report makes it"):
        publish_site(config(tmp_path, folder=str(tmp_path / "public")))


def test_a_branch_receives_the_site_and_nothing_is_pushed(results: Path, repository: Path) -> None:
    wanted = config(results, repository=str(repository))
    done = publish_site(wanted)
    assert done == Published(f"branch gh-pages of {repository}", 3, True, False)
    files = set(git(repository, "ls-tree", "-r", "--name-only", "gh-pages").splitlines())
    assert files == {"index.html", "b/index.html", "b/figures/x.svg", ".nojekyll", MARKER}
    assert git(repository, "show", "gh-pages:b/index.html") == "report"
    assert git(repository, "branch", "--show-current") == "main"
    assert tree(repository) - {p for p in tree(repository) if p.startswith(".git/")} == {"README"}
    assert git(repository, "ls-remote", "origin") == ""
    first = git(repository, "rev-parse", "gh-pages")
    assert not publish_site(wanted).changed
    assert git(repository, "rev-parse", "gh-pages") == first
    (results / "site" / "b" / "index.html").unlink()
    assert publish_site(wanted).changed
    assert "b/index.html" not in git(repository, "ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert git(repository, "rev-parse", "gh-pages~1") == first


def test_a_branch_is_pushed_only_when_told(results: Path, repository: Path) -> None:
    done = publish_site(config(results, repository=str(repository), branch="site", push=True))
    assert done.pushed
    assert git(repository, "ls-remote", "origin").endswith("refs/heads/site")


@pytest.mark.parametrize(
    ("publish", "message"),
    [
        ({"branch": "main"}, r"publish\.branch 'main': is checked out in"),
        (
            {"branch": "other"},
            r"publish\.branch 'other' of .*: holds files that were not published from here",
        ),
        ({"branch": "two words"}, r"publish\.branch 'two words': is not a name that git allows for a branch"),
        ({"push": True, "remote": "nowhere"}, r"publish\.remote 'nowhere': is not a remote of"),
    ],
)
def test_branches_that_are_not_ours_are_left_alone(
    results: Path, repository: Path, publish: dict[str, object], message: str
) -> None:
    git(repository, "branch", "other")
    before = git(repository, "for-each-ref")
    with pytest.raises(PublishError, match=message):
        publish_site(config(results, repository=str(repository), **publish))
    assert git(repository, "for-each-ref") == before


def test_a_repository_must_be_one(results: Path, tmp_path: Path) -> None:
    with pytest.raises(PublishError, match=r"publish\.repository .*nothing: is not a folder"):
        publish_site(config(results, repository=str(tmp_path / "nothing")))
    with pytest.raises(PublishError, match=r"publish\.repository .*: is not a git repository"):
        publish_site(config(results, repository=str(tmp_path)))
