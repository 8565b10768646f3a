"""The rules of the house: which way imports run, what ships, what starts quickly."""

import ast
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOTS = ("schemas", "transforms", "pipelines")
MAY_IMPORT = {
    "schemas": {"schemas"},
    "transforms": {"schemas", "transforms"},
    "pipelines": {"schemas", "transforms", "pipelines"},
}


def modules(root: pathlib.Path, package: str) -> list[pathlib.Path]:
    return sorted((root / package).rglob("*.py"))


def imported_packages(path: pathlib.Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("package", ROOTS)
def test_imports_run_one_way(root, package):
    found = modules(root, package)
    assert found
    for path in found:
        ours = imported_packages(path) & set(ROOTS)
        assert ours <= MAY_IMPORT[package], f"{path} imports {ours - MAY_IMPORT[package]}"


def test_schemas_need_only_the_standard_library_and_pyarrow(root):
    for path in modules(root, "schemas"):
        foreign = imported_packages(path) - set(sys.stdlib_module_names) - {"schemas", "pyarrow"}
        assert not foreign, f"{path} imports {foreign}"


def test_only_the_images_module_opens_pictures(root):
    for package in ROOTS:
        for path in modules(root, package):
            if "PIL" in imported_packages(path) and "sample" not in path.parts:
                assert path.relative_to(root) == pathlib.Path("transforms/screens/images.py")


def test_no_folder_of_tests_is_a_package(root):
    # With one, `import transforms.boxes` finds tests/transforms instead.
    assert list((root / "tests").rglob("__init__.py")) == []


def test_no_module_has_a_name_that_says_nothing(root):
    empty = {"utils", "helpers", "common", "base", "misc", "core"}
    for package in ROOTS:
        for path in modules(root, package):
            assert not ({path.stem, *path.relative_to(root).parts} & empty), path


def test_the_wheel_holds_exactly_the_three_roots_and_their_data(root, tmp_path):
    # What an earlier wheel left there would get into this one, under names long gone.
    shutil.rmtree(root / "build", ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path, root],
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == set(ROOTS)
    assert "pipelines/manifests/demo.yaml" in names
    here = {str(path.relative_to(root)) for package in ROOTS for path in modules(root, package)}
    assert here == {name for name in names if name.endswith(".py")}

    target = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    code = "import pkgutil, importlib, sys\n" + "".join(
        f"import {package}; assert {package}.__file__.startswith({str(target)!r})\n"
        f"for m in pkgutil.walk_packages({package}.__path__, '{package}.'):\n"
        f"    m.name.endswith('__main__') or importlib.import_module(m.name)\n"
        for package in ROOTS
    )
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(target)!r})\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_command_line_starts_without_anything_heavy(root):
    code = (
        "import sys; import pipelines.cli; from pipelines.flags import make_parser; "
        "make_parser().format_help(); "
        "print([m for m in ('apache_beam', 'pyarrow', 'pandas', 'numpy', 'PIL', 'yaml', "
        "'datasets', 'great_expectations', 'google.genai', 'huggingface_hub') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_finished_builds_are_looked_at_without_the_engine(root):
    # Importing Beam takes seconds, and whoever only reads a build has no use for it.
    code = (
        "import sys, pipelines.cards.card, pipelines.checking.check, pipelines.diffing.diff, "
        "pipelines.exporting.chat, pipelines.publishing.publish, pipelines.reporting.report; "
        "print('apache_beam' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_constraints_pin_every_direct_dependency(root):
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pinned = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (root / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    extras = project["optional-dependencies"]
    for requirement in [*project["dependencies"], *extras["test"]]:
        name = requirement.split("=")[0].split(">")[0].split("<")[0].split("[")[0].strip("!~ ")
        assert name.lower().replace("_", "-") in pinned, name


def test_every_dependency_is_explained(root):
    import tomllib

    text = (root / "CONTRIBUTING.md").read_text()
    for requirement in tomllib.loads((root / "pyproject.toml").read_text())["project"][
        "dependencies"
    ]:
        name = requirement.split("=")[0].split(">")[0].strip()
        assert f"| {name} |" in text, name


def test_the_flags_of_export_are_the_tasks_and_formats_that_there_are():
    # The flags' modules import nothing heavy, so they spell the names themselves.
    from pipelines.flags import make_parser
    from transforms.chat.formats import ChatFormat
    from transforms.chat.tasks import ChatTask

    subparsers = next(a for a in make_parser()._actions if a.dest == "==SUPPRESS==" or a.choices)
    export = subparsers.choices["export"]
    choices = {action.dest: action.choices for action in export._actions}
    assert list(choices["tasks"]) == [task.value for task in ChatTask]
    assert list(choices["layout"]) == ["released", *(layout.value for layout in ChatFormat)]
