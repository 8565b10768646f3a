"""Whether the Hub can be reached at all, found out within seconds."""

import socket
import threading
import urllib.request
from urllib.parse import urlsplit

_LIMIT_S = 2.0
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class Reaching:
    """Tries to reach an address, beside whatever else is done meanwhile.

    Looking up a name has no time limit of its own; where there is no network it can take
    half a minute. So it is done in a thread that nobody has to wait for.
    """

    def __init__(self, url: str) -> None:
        """Begins to try; a proxy that the environment names stands for what is behind it."""
        self._succeeded = threading.Event()
        self._done = threading.Event()
        host, port = _door_of(url)
        thread = threading.Thread(target=self._try, args=(host, port), daemon=True)
        thread.start()

    def succeeds(self) -> bool:
        """Whether a connection was made within two seconds from now."""
        self._done.wait(_LIMIT_S)
        return self._succeeded.is_set()

    def _try(self, host: str, port: int) -> None:
        try:
            with socket.create_connection((host, port), timeout=_LIMIT_S):
                self._succeeded.set()
        except (OSError, ValueError):
            # Not reached, or by a name that nobody can have: that is the answer.
            pass
        finally:
            self._done.set()


def _door_of(url: str) -> tuple[str, int]:
    split = urlsplit(url)
    host = split.hostname or ""
    proxies = urllib.request.getproxies()
    proxy = proxies.get(split.scheme) or proxies.get("all")
    if proxy and not urllib.request.proxy_bypass(host):
        split = urlsplit(proxy if "//" in proxy else f"http://{proxy}")
    return split.hostname or "", split.port or _PORTS.get(split.scheme, 443)
