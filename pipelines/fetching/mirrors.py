"""Where a mirror keeps what is elsewhere on the web."""

import os
import urllib.parse
import urllib.request

from pipelines.errors import UserError
from pipelines.fetching.requesting import clean_url


class Mirror:
    """A folder, or the address of one, that holds copies of files of the web.

    Args:
        root: A folder, a `file:` URL of one, or an http(s) URL.

    Raises:
        UserError: If `root` is none of them.
    """

    def __init__(self, root: str) -> None:
        self.is_web = is_web(root)
        self._root = root.rstrip("/") if self.is_web else _local(root)
        if not self.is_web and not os.path.isdir(self._root):
            raise UserError(f"the mirror {root} is no folder")

    def find(self, url: str) -> str | None:
        """Returns the path or URL of the copy of `url`, or None.

        In a folder it is the first that exists of `host/a/b`, `a/b` and `b`. A URL with a
        query is one file for each query (`host/a/b?query`, as wget names it), so it has no
        shorter names. Whether a mirror of the web has it shows only when it is asked.
        """
        segments = mirror_segments(url)
        if segments is None:
            return None
        query = urllib.parse.urlsplit(url).query
        if self.is_web:
            quoted = "/".join(urllib.parse.quote(segment) for segment in segments)
            return f"{self._root}/{quoted}" + (f"?{query}" if query else "")
        if query:
            names = [[*segments[:-1], f"{segments[-1]}?{query}"]]
        else:
            names = [segments, segments[1:], segments[-1:]]
        paths = [os.path.join(self._root, *name) for name in names]
        return next((path for path in paths if os.path.isfile(path)), None)


def mirror_segments(url: str) -> list[str] | None:
    """Returns host and path of a URL as safe names of folders and a file, or None."""
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return None
    host = parts.netloc.rpartition("@")[2].lower()
    path = [urllib.parse.unquote(segment) for segment in parts.path.split("/") if segment]
    segments = [host, *path]
    unsafe = any(
        segment in ("", ".", "..") or "/" in segment or "\0" in segment for segment in segments
    )
    return None if unsafe or not path else segments


def file_name(url: str) -> str:
    """Returns the shortest name that a folder mirror may have `url` under, without secrets."""
    clean = clean_url(url)
    *_, name = mirror_segments(clean) or [""]
    query = urllib.parse.urlsplit(clean).query
    return f"{name}?{query}" if query else name


def is_web(place: str) -> bool:
    """Returns whether a place is an http(s) URL; else it is a path."""
    return place.lower().startswith(("http://", "https://"))


def _local(root: str) -> str:
    if root.lower().startswith("file:"):
        return urllib.request.url2pathname(urllib.parse.urlsplit(root).path)
    return root
