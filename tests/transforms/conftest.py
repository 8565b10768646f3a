"""Property tests draw the same examples on every machine, and take the time they need."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")
