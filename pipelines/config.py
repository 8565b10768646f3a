"""From flags and manifest to a settled request: what to build, from where, to where."""

import dataclasses
import difflib
import hashlib
import importlib.metadata
import os
from collections.abc import Mapping, Sequence

from pipelines.errors import UserError
from pipelines.manifest_reading import parse_manifest
from pipelines.yaml_sections import ManifestError
from schemas.manifest import Dataset, Manifest

ROOTS = ("pipelines", "schemas", "transforms")
DISTRIBUTION = "screenset"


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for.

    `overrides` are the paths of single sources, by name; `cache` is where a model's replies are
    stored, None for the usual place.
    """

    dataset: Dataset
    manifest: Manifest
    data: str
    overrides: Mapping[str, str]
    limit: int | None = None
    cache: str | None = None


def load_request(
    name: str,
    manifest_path: str,
    data: str,
    sources: Sequence[str],
    limit: int | None = None,
    *,
    cache: str | None = None,
) -> Request:
    """Returns the request for one data set of a manifest.

    Args:
        name: The data set's name in the manifest.
        manifest_path: The manifest's file.
        data: Folder that the manifest's paths are relative to.
        sources: `NAME=PATH` for each source that lies elsewhere.
        limit: Largest number of screens, or None.
        cache: Where a model's replies are stored; None for the usual place.

    Raises:
        UserError: With a line for each mistake.
    """
    manifest = read_manifest(manifest_path)
    if name not in manifest.datasets:
        close = difflib.get_close_matches(name, list(manifest.datasets), n=1)
        hint = f"did you mean {close[0]}?" if close else f"it has {', '.join(manifest.datasets)}"
        raise UserError(f"{manifest_path} has no dataset {name}; {hint}")
    if not os.path.isdir(data):
        raise UserError(f"--data: {data} is no folder")
    overrides = {}
    for item in sources:
        source, equals, path = item.partition("=")
        if not equals or not path:
            raise UserError(f"--source: {item!r} is not of the form NAME=PATH")
        if source not in manifest.sources:
            close = difflib.get_close_matches(source, list(manifest.sources), n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise UserError(f"--source: the manifest has no source {source}{hint}")
        overrides[source] = path
    return Request(manifest.datasets[name], manifest, data, overrides, limit, cache)


def read_manifest(path: str) -> Manifest:
    """Returns the manifest of a file.

    Raises:
        UserError: With a line `path:line: …` for each problem.
    """
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise UserError(f"--manifest: {path} is no ordinary file")
        with open(path, encoding="utf-8") as file:
            return parse_manifest(file.read())
    except OSError as error:
        raise UserError(f"--manifest: cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"--manifest: {path} is no UTF-8 text") from error
    except ManifestError as error:
        lines = [
            f"{path}:{problem.line}: {problem.path or 'manifest'}: {problem.message}"
            for problem in error.problems
        ]
        raise UserError("\n".join(lines)) from error


def code_version() -> str:
    """Returns the installed version, or 0 for a checkout that is not installed."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "0"


def code_digest() -> str:
    """Returns a digest of the source code that makes rows: schemas, transforms, recipes."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    digest = hashlib.sha256()
    for root in ("schemas", "transforms", os.path.join("pipelines", "recipes")):
        for parent, folders, names in os.walk(os.path.join(here, root)):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".py"):
                    path = os.path.join(parent, name)
                    digest.update(os.path.relpath(path, here).encode())
                    with open(path, "rb") as file:
                        digest.update(file.read())
    return digest.hexdigest()


def refuse_foreign_roots() -> None:
    """Refuses to run if another distribution owns one of our three generic package names.

    pip installs a second `transforms` over ours without a word; nothing fails until
    something in it is missed.

    Raises:
        UserError: If so; it names the other distribution.
    """
    owners = importlib.metadata.packages_distributions()
    for root in ROOTS:
        others = sorted(set(owners.get(root, [])) - {DISTRIBUTION})
        if others:
            raise UserError(
                f"the package {root} in this environment belongs to {', '.join(others)} as well; "
                f"install {DISTRIBUTION} into an environment of its own"
            )
