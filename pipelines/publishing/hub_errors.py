"""What the Hub refuses, as one sentence; without any import that would need the network."""

from pipelines.errors import BuildError


class HubError(BuildError):
    """The Hub refused, or could not be reached; `status` is 0 where nothing was answered."""

    def __init__(
        self,
        sentence: str,
        status: int = 0,
        *,
        passing: bool = False,
        asked_s: float | None = None,
    ) -> None:
        """Makes the error.

        Args:
            sentence: For the user.
            status: The status that was answered.
            passing: Whether the same may well succeed later.
            asked_s: How many seconds later, if the Hub said so.
        """
        super().__init__(sentence)
        self.status = status
        self.passing = passing
        self.asked_s = asked_s
