"""Puts the finished site where it is read: into a folder, or onto a branch of a git repository."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from analysis.config import Config
from analysis.errors import VerdictAtlasError
from analysis.reporting.assets import write_if_changed

MARKER = ".verdict-atlas-site.json"
"""Stands in every folder and branch that this module wrote, and lists the files."""

NO_JEKYLL = ".nojekyll"
"""Tells GitHub Pages to serve the files as they are."""


class PublishError(VerdictAtlasError):
    """The site cannot be published; nothing was changed."""


@dataclass(frozen=True)
class Published:
    """What was published.

    Parameters
    ----------
    target : str
        The folder, or the repository and its branch.
    n_files : int
        Files of the site.
    changed : bool
        Whether anything differed from what stood there.
    pushed : bool
        Whether the branch was pushed.
    """

    target: str
    n_files: int
    changed: bool
    pushed: bool


def publish_site(config: Config) -> Published:
    """Copy the site to the configured folder or branch. Pushes only where the configuration says so.

    Parameters
    ----------
    config : Config
        `results` names the site's place, `publish` its target.

    Returns
    -------
    Published
        What was done, to be told.

    Raises
    ------
    PublishError
        Where there is no site, or the target holds something that was not published from here.
    """
    site = Path(config.results) / "site"
    if not (site / "index.html").is_file():
        raise PublishError(f"there is no site in {site}; snakemake report makes it")
    if config.publish.repository:
        return _to_branch(site, config)
    return _to_folder(site, Path(config.publish.folder))


def _files(site: Path) -> list[str]:
    names = (p.relative_to(site) for p in site.rglob("*") if p.is_file())
    return sorted(n.as_posix() for n in names if not any(part.startswith(".") for part in n.parts))


def _marker(files: list[str]) -> bytes:
    return (json.dumps({"written_by": "verdict-atlas", "files": files}, indent=1) + "\n").encode()


def _listed(text: str) -> list[str]:
    """Return the files that a marker lists; nothing where it is not one of ours."""
    try:
        data = json.loads(text)
        return [str(f) for f in data["files"]] if data["written_by"] == "verdict-atlas" else []
    except (ValueError, KeyError, TypeError):
        return []


def _to_folder(site: Path, folder: Path) -> Published:
    whole, target = site.resolve(), folder.resolve()
    if target == whole or target in whole.parents or whole in target.parents:
        raise PublishError(f"publish.folder {folder}: must lie apart from the site itself, {site}")
    if folder.exists() and not folder.is_dir():
        raise PublishError(f"publish.folder {folder}: is a file")
    marker = folder / MARKER
    if folder.is_dir() and any(folder.iterdir()) and not marker.is_file():
        raise PublishError(
            f"publish.folder {folder}: holds files that were not published from here (it has no {MARKER}); "
            "name an empty folder"
        )
    files = _files(site)
    old = _listed(marker.read_text(encoding="utf-8")) if marker.is_file() else []
    before = {name: _bytes(folder / name) for name in {*old, *files}}
    for name in files:
        write_if_changed(folder / name, (site / name).read_bytes())
    for name in set(old) - set(files):
        _remove(folder, name)
    write_if_changed(folder / NO_JEKYLL, b"")
    write_if_changed(marker, _marker(files))
    changed = any(_bytes(folder / name) != data for name, data in before.items())
    return Published(str(folder), len(files), changed, False)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _remove(folder: Path, name: str) -> None:
    """Remove a file that an earlier publication wrote, and the folders it leaves empty."""
    path = (folder / name).resolve()
    if folder.resolve() not in path.parents or not path.is_file():
        return
    path.unlink()
    for parent in path.parents:
        if parent == folder.resolve() or any(parent.iterdir()):
            return
        parent.rmdir()


def _to_branch(site: Path, config: Config) -> Published:
    wanted = config.publish
    repository, branch = Path(wanted.repository), wanted.branch
    if not repository.is_dir():
        raise PublishError(f"publish.repository {repository}: is not a folder")
    if _git(repository, "rev-parse", "--git-dir") is None:
        raise PublishError(f"publish.repository {repository}: is not a git repository")
    if _git(repository, "check-ref-format", "--branch", branch) is None:
        raise PublishError(f"publish.branch {branch!r}: is not a name that git allows for a branch")
    if _git(repository, "symbolic-ref", "--short", "HEAD") == branch and not _bare(repository):
        raise PublishError(f"publish.branch {branch!r}: is checked out in {repository}; name another branch")
    reference = f"refs/heads/{branch}"
    old = _git(repository, "rev-parse", "--verify", "--quiet", reference)
    if old is not None and _git(repository, "cat-file", "-e", f"{reference}:{MARKER}") is None:
        raise PublishError(
            f"publish.branch {branch!r} of {repository}: holds files that were not published from here "
            f"(it has no {MARKER}); name another branch"
        )
    if wanted.push and _git(repository, "remote", "get-url", wanted.remote) is None:
        raise PublishError(f"publish.remote {wanted.remote!r}: is not a remote of {repository}")
    files = _files(site)
    _import(site, files, repository, branch)
    changed = True
    if old is not None and _tree(repository, old) == _tree(repository, reference):
        _git(repository, "update-ref", reference, old)
        changed = False
    if wanted.push:
        _push(repository, wanted.remote, branch)
    return Published(f"branch {branch} of {repository}", len(files), changed, wanted.push)


def _import(site: Path, files: list[str], repository: Path, branch: str) -> None:
    with tempfile.TemporaryDirectory(prefix="va-") as name:
        copy = Path(name) / "site"
        for file in files:
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(site / file, copy / file)
        (copy / MARKER).write_bytes(_marker(files))
        command = [sys.executable, "-m", "ghp_import", "--no-jekyll", "--branch", branch]
        command += ["--message", "Publish the site", str(copy)]
        done = subprocess.run(command, cwd=repository, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise PublishError(f"ghp-import failed: {' '.join((done.stderr or done.stdout).split())}")


def _push(repository: Path, remote: str, branch: str) -> None:
    command = ["git", "push", remote, f"refs/heads/{branch}:refs/heads/{branch}"]
    done = subprocess.run(command, cwd=repository, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        said = " ".join(done.stderr.split())
        raise PublishError(
            f"the branch {branch!r} was written, but could not be pushed to {remote!r}: {said}"
        )


def _tree(repository: Path, reference: str) -> str | None:
    return _git(repository, "rev-parse", f"{reference}^{{tree}}")


def _bare(repository: Path) -> bool:
    return _git(repository, "rev-parse", "--is-bare-repository") == "true"


def _git(repository: Path, *arguments: str) -> str | None:
    """Run git; return what it said, or None where it failed."""
    done = subprocess.run(
        ["git", *arguments], cwd=repository, capture_output=True, encoding="utf-8", check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None
