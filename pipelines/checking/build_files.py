"""Rules of a build's own files: all there, none changed, none strange, none empty."""

import os
from collections.abc import Iterator

from pipelines.build_shape import build_problems
from pipelines.checking.facts import ShardFacts
from pipelines.checking.subjects import Subject
from pipelines.checking.verdicts import Rule, Verdict, verdict
from pipelines.finished_builds import files_in
from schemas.builds import DOCUMENTS, FINISHED, BuiltFile, Shard
from transforms.files import file_digest


def summary_whole(subject: Subject) -> Verdict:
    """`BUILD.json` has all that a build says of itself, each value of its kind.

    Its digest is nowhere: a value that somebody changed shows only where it makes no sense.
    """
    return verdict(1, "summary", build_problems(subject.build.summary))


def files_unchanged(subject: Subject) -> Verdict:
    """Every file of `BUILD.json` is there with its size and digest."""
    found = [*_changed_shards(subject), *_changed_files(subject)]
    looked = len(subject.shards) + len(subject.build.files)
    return verdict(looked, "file", found)


def no_strange_files(subject: Subject) -> Verdict:
    """Nothing lies in the folder but what the build wrote, and documents of it.

    `load_dataset` reads whatever Parquet file a pattern matches: a shard that an earlier
    build left doubles rows in silence.
    """
    build = subject.build
    known = {FINISHED, *DOCUMENTS}
    known |= {shard.path for shard in build.shards} | {file.path for file in build.files}
    there = sorted(files_in(build.folder))
    strange = [f"{path}: is in the folder, and {FINISHED} does not name it" for path in there]
    found = [text for path, text in zip(there, strange, strict=True) if path not in known]
    return verdict(len(there), "file", found)


def shards_readable(subject: Subject) -> Verdict:
    """Every shard is a whole Parquet file with the declared columns, whose rows were read."""
    found = [f"{facts.path}: {facts.problem}" for facts in subject.shards if facts.problem]
    return verdict(len(subject.shards), "shard", found)


def schema_declared(subject: Subject) -> Verdict:
    """Every shard has the declared columns, their order, types and features for the Hub."""
    read = [facts for facts in subject.shards if facts.footer is not None]
    found = [
        f"{facts.path}: {problem}"
        for facts in read
        if facts.footer is not None
        for problem in facts.footer.schema_problems
    ]
    return verdict(len(read), "shard", found)


def no_empty_shards(subject: Subject) -> Verdict:
    """Every shard has rows, in row groups that all have some.

    `datasets` dies of a row group without rows, and of a split without any.
    """
    found = [text for facts in subject.shards for text in _emptiness(facts)]
    return verdict(sum(facts.footer is not None for facts in subject.shards), "shard", found)


def shard_rows_as_built(subject: Subject) -> Verdict:
    """Every shard has as many rows and screens as `BUILD.json` says, and its place is its own."""
    found = [text for facts in subject.shards for text in _other_counts(facts)]
    names = [shard.path for shard in subject.build.shards]
    found += [
        f"{path}: {FINISHED} lists it twice" for path in sorted(set(names)) if names.count(path) > 1
    ]
    found += [
        f"{shard.path}: does not lie where the shards of {shard.configuration}, {shard.split}, do"
        for shard in subject.build.shards
        if not _lies_right(shard)
    ]
    return verdict(len(subject.shards), "shard", found)


def configurations_complete(subject: Subject) -> Verdict:
    """Every configuration has shards, all of the same splits, numbered without a gap."""
    build = subject.build
    splits = {name: {shard.split for shard in build.shards_of(name)} for name in build.row_types}
    found = [f"{name}: has no shard" for name, of_it in splits.items() if not of_it]
    main = splits[build.name]
    found += [
        f"{name}: has the splits {', '.join(sorted(of_it))}, {build.name} has "
        f"{', '.join(sorted(main))}"
        for name, of_it in splits.items()
        if of_it and of_it != main
    ]
    found += [
        f"{shard.path}: {FINISHED} counts it to {shard.configuration}, which the build has not"
        for shard in build.shards
        if shard.configuration not in build.row_types
    ]
    found += [f"{path}: there is no such shard in {FINISHED}" for path in _missing_numbers(subject)]
    return verdict(len(splits), "configuration", found)


def _changed_shards(subject: Subject) -> Iterator[str]:
    for facts in subject.shards:
        wanted = BuiltFile(facts.path, facts.shard.size_bytes, facts.shard.sha256)
        yield from _difference(wanted, facts.size_bytes, facts.sha256)


def _changed_files(subject: Subject) -> Iterator[str]:
    for file in subject.build.files:
        path = subject.build.path(file.path)
        there = os.path.isfile(path)
        size, digest = (os.path.getsize(path), file_digest(path)) if there else (None, "")
        yield from _difference(file, size, digest)


def _difference(wanted: BuiltFile, size_bytes: int | None, sha256: str) -> Iterator[str]:
    if size_bytes is None:
        yield f"{wanted.path}: is missing"
    elif size_bytes != wanted.size_bytes:
        yield (
            f"{wanted.path}: has {size_bytes:,} bytes, {FINISHED} says {wanted.size_bytes:,}: "
            "it was changed, or is of another build"
        )
    elif sha256 != wanted.sha256:
        yield f"{wanted.path}: its bytes are not those that were built (another SHA-256)"


def _emptiness(facts: ShardFacts) -> Iterator[str]:
    if facts.footer is None:
        return
    if not facts.footer.rows:
        yield f"{facts.path}: has no row"
    elif any(not group.rows for group in facts.footer.groups):
        yield f"{facts.path}: has a row group without rows"


def _other_counts(facts: ShardFacts) -> Iterator[str]:
    if facts.footer is not None and facts.footer.rows != facts.shard.rows:
        yield f"{facts.path}: has {facts.footer.rows:,} rows, {FINISHED} says {facts.shard.rows:,}"
    if facts.rows is not None and facts.rows.keys.num_rows:
        screens = len(facts.rows.keys["screen_id"].unique())
        if screens != facts.shard.screens:
            yield f"{facts.path}: has {screens:,} screens, {FINISHED} says {facts.shard.screens:,}"


def _lies_right(shard: Shard) -> bool:
    folder, name = os.path.split(shard.path)
    return folder == shard.configuration and name.startswith(f"{shard.split}-")


def _missing_numbers(subject: Subject) -> Iterator[str]:
    """Yields the shards that others, as `00001-of-00003`, speak of."""
    paths = {shard.path for shard in subject.build.shards}
    for shard in subject.build.shards:
        _, _, total = os.path.basename(shard.path).removesuffix(".parquet").rpartition("-of-")
        if not total.isdigit() or int(total) > 10 * len(paths):
            yield f"{shard.path} of as many as it says"
            continue
        for number in range(int(total)):
            name = f"{shard.split}-{number:05d}-of-{total}.parquet"
            path = os.path.join(shard.configuration, name)
            if path not in paths:
                paths.add(path)
                yield path


FILE_RULES = (
    Rule("summary_whole", "BUILD.json says all that a build says of itself", summary_whole),
    Rule("files_unchanged", "every file of the build is there, as it was built", files_unchanged),
    Rule("no_strange_files", "nothing else lies in the folder", no_strange_files),
    Rule("shards_readable", "every shard could be read whole", shards_readable),
    Rule("schema_declared", "columns, types and features are the declared ones", schema_declared),
    Rule("no_empty_shards", "no shard and no row group is empty", no_empty_shards),
    Rule("shard_rows_as_built", "shards have the rows that were built", shard_rows_as_built),
    Rule(
        "configurations_complete",
        "every configuration has all its splits and shards",
        configurations_complete,
    ),
)
