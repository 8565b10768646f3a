"""What each command does with its flags; everything heavy is imported inside."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.config import Request


def say_help(arguments: argparse.Namespace) -> int:
    """Prints the version, or the help; without a command that is a mistake."""
    if arguments.version:
        from pipelines.config import code_version

        print(f"screenset {code_version()}")
        return 0
    arguments.parser.print_help()
    return 2


def _import_beam() -> None:
    """Imports Beam without what it wants only for types and stores that no step uses.

    Together that is more than a second of every start. Beam does without where these are
    not installed; so for the time of its import, they are not.
    """
    hidden = ("pandas", "pymongo")
    already = {name: sys.modules[name] for name in hidden if name in sys.modules}
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]
    import apache_beam  # noqa: F401

    for name in hidden:
        del sys.modules[name]
    sys.modules.update(already)


def _request_of(arguments: argparse.Namespace) -> "Request":
    from pipelines.config import load_request

    return load_request(
        arguments.dataset,
        arguments.manifest,
        arguments.data,
        arguments.source,
        arguments.limit,
        cache=arguments.cache,
    )


def fetch(arguments: argparse.Namespace) -> int:
    """Brings sources."""
    from pipelines.config import read_manifest
    from pipelines.fetching.sources import FetchOptions, fetch, parse_stand_ins, report_text

    options = FetchOptions(
        mirror=arguments.mirror,
        stand_ins=parse_stand_ins(arguments.from_),
        accept_changed=frozenset(arguments.accept_changed),
        verify=arguments.verify,
        keep_archives=arguments.keep_archives,
        refresh=arguments.refresh,
        list_only=arguments.list,
    )
    manifest = read_manifest(arguments.manifest)
    report = fetch(manifest, arguments.sources, arguments.data, options)
    print(report_text(report))
    for sentence in report.failures:
        print(sentence, file=sys.stderr)
    return report.exit_code


def plan(arguments: argparse.Namespace) -> int:
    """Says what a build would do."""
    _import_beam()
    from pipelines.planning import print_plan

    request = _request_of(arguments)
    return print_plan(request)


def build(arguments: argparse.Namespace) -> int:
    """Builds a data set."""
    from pipelines.config import refuse_foreign_roots
    from pipelines.hiding import hide_pandas
    from pipelines.runners import refuse_runner

    refuse_runner(arguments.runner)
    refuse_foreign_roots()
    request = _request_of(arguments)
    _import_beam()
    hide_pandas()
    from pipelines.build import build
    from pipelines.summary import print_build

    print_build(build(request, arguments.out, workers=arguments.workers, fresh=arguments.fresh))
    return 0


def demo(arguments: argparse.Namespace) -> int:
    """Draws the sample and builds it."""
    _import_beam()
    from pipelines.config import refuse_foreign_roots
    from pipelines.demo import run_demo

    refuse_foreign_roots()
    run_demo(arguments.out, workers=arguments.workers, fresh=arguments.fresh)
    return 0


def tasks(arguments: argparse.Namespace) -> int:
    """Writes what a pass has still to do."""
    _import_beam()
    from pipelines.tasks import TaskOptions, tasks_text, write_tasks

    request = _request_of(arguments)
    options = TaskOptions(
        annotators=tuple(arguments.annotators),
        by_annotator=arguments.by_annotator,
        image_url=arguments.image_url,
        salt_env=arguments.salt_env,
        salt_file=arguments.salt_file,
        built=arguments.built,
        per_stratum=arguments.per_stratum,
    )
    print(tasks_text(write_tasks(arguments.pass_, request, arguments.out, options)))
    return 0


def import_events(arguments: argparse.Namespace) -> int:
    """Turns exports into events."""
    _import_beam()
    from pipelines.importing import import_exports, import_options, imported_text
    from pipelines.people import read_users

    options = import_options(
        read_users(arguments.salt_env, arguments.salt_file, arguments.user_map),
        has_user_map=arguments.user_map is not None,
        pass_=arguments.pass_,
        instance=arguments.instance,
        sizes=arguments.sizes,
    )
    imported = import_exports(arguments.exports, arguments.out, options, fresh=arguments.fresh)
    print(imported_text(imported))
    return 0


def cache_stats(arguments: argparse.Namespace) -> int:
    """Says what replies are stored."""
    _import_beam()
    from pipelines.caching import stats_text

    print(stats_text(arguments.place))
    return 0


def cache_show(arguments: argparse.Namespace) -> int:
    """Shows stored replies."""
    _import_beam()
    from pipelines.caching import show_text

    print(show_text(arguments.place, arguments.wanted))
    return 0


def cache_prune(arguments: argparse.Namespace) -> int:
    """Removes stored replies."""
    _import_beam()
    from pipelines.caching import prune_text

    print(
        prune_text(
            arguments.place,
            days=arguments.older_than,
            provider=arguments.provider,
            model=arguments.model,
            prompt_version=arguments.prompt_version,
            outcome=arguments.outcome,
            dry_run=arguments.dry_run,
        )
    )
    return 0
