"""The two ways in which a command ends badly, apart from a bug."""


class UserError(Exception):
    """A user's mistake: printed as one clear sentence a line, exit code 2."""


class BuildError(Exception):
    """A build that could not be finished, or must not be: printed likewise, exit code 1."""
