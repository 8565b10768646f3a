"""Who works on a campaign, under pseudonyms; the salt that makes them stays a secret."""

import contextlib
import os
from collections.abc import Sequence

from pipelines.errors import UserError
from transforms.annotation.label_studio.users import Users, is_pseudonym, read_user_map
from transforms.files import SourceError

_MIN_SALT = 16


def read_users(salt_env: str | None, salt_file: str | None, user_map: str | None = None) -> Users:
    """Returns the people of a project, whose pseudonyms hang on the project's salt.

    Raises:
        UserError: The salt is not there or too short, or the user map is none. Messages
            hold neither the salt nor what was typed in its place.
    """
    try:
        names = None if user_map is None else read_user_map(user_map)
    except SourceError as error:
        raise UserError(f"--user-map: {error}") from error
    return Users(_salt(salt_env, salt_file), names)


def read_people(
    annotators: Sequence[str], salt_env: str | None = None, salt_file: str | None = None
) -> dict[str, str]:
    """Returns what each annotator is called on the command line, by pseudonym.

    Args:
        annotators: Files with a name a line, or names with commas.
        salt_env: Environment variable that holds the salt.
        salt_file: File that holds it.

    Raises:
        UserError: A file cannot be read or names nobody, a name comes twice, or user names
            come without the salt.
    """
    names = [name for given in annotators for name in _names_in(given)]
    if not names:
        if annotators:
            raise UserError("--annotators: names nobody")
        return {}
    if all(map(is_pseudonym, names)):
        people = {name: name for name in names}
    elif salt_env is None and salt_file is None:
        raise UserError(
            "--annotators: user names need the salt that their pseudonyms are made with: "
            "--salt-env or --salt-file"
        )
    else:
        users = read_users(salt_env, salt_file)
        pseudonyms = {name: users.pseudonym(name) for name in names}
        people = {who: f"{who} {name}" for name, who in pseudonyms.items()}
    if len(people) < len(names):
        raise UserError("--annotators: somebody is named twice")
    return people


def _salt(salt_env: str | None, salt_file: str | None) -> str:
    if salt_env is not None:
        flag, salt = "--salt-env", os.environ.get(salt_env)
        # Not even the name is repeated: it may be the salt, typed into the wrong place.
        problem = "there is no environment variable of that name"
    else:
        flag, salt, problem = "--salt-file", None, "the file cannot be read as text"
        with contextlib.suppress(OSError, ValueError), open(salt_file or "", encoding="utf-8") as f:
            salt = f.read()
    if salt is None:
        raise UserError(f"{flag}: {problem}")
    salt = salt.strip()
    if len(salt) < _MIN_SALT:
        raise UserError(
            f"{flag}: the salt has fewer than {_MIN_SALT} characters, and pseudonyms could be "
            "guessed; `openssl rand -hex 32` makes a good one"
        )
    return salt


def _names_in(given: str) -> list[str]:
    if not os.path.isfile(given):
        return [name.strip() for name in given.split(",") if name.strip()]
    try:
        with open(given, encoding="utf-8-sig") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except (OSError, UnicodeDecodeError):
        raise UserError(f"--annotators: cannot read {given}") from None
    return [line for line in lines if line]
