"""A Hub on loopback that holds itself to the real one's rules, for tests of what talks to it.

It serves data set repositories to huggingface_hub 2.x and datasets 5.x over plain HTTP with
classic LFS: contents only by their digest, kept on disk, so that a killed client can go on.

In a test::

    with LocalHub(tmp_path / "hub") as hub:
        token = hub.add_token("ada", role="write", orgs={"acme": "write"})
        environment = hub.environment(tmp_path / "home", HF_TOKEN=token)
        run("publish", built, "--repo", "acme/screens", **environment)
        repo = hub.repo("acme/screens")          # .branches, .tags, .commits, .find("main").tree
        assert [asked.method for asked in hub.log]

`environment` says all that a process needs (endpoint, home, no Xet, no telemetry). Faults are
put in with `fail`; `hold` stops a request half way until the test has done something else.
`python local_hub.py FOLDER OWNER` serves in a process of its own: it prints its address, and
a token that may write as OWNER.
"""

import base64
import contextlib
import dataclasses
import functools
import hmac
import http.server
import json
import pathlib
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hub_store import Blobs, Entry, Repo, StoreError, card_problems, git_digest, lfs_entry

_CHUNK = 1 << 16
_SECRET = b"signs links to contents"


@dataclasses.dataclass
class Asked:
    """One request. `user` is whose token came with it; `sent` are the bytes of its body."""

    method: str
    path: str
    user: str
    status: int = 0
    sent: int = 0


@dataclasses.dataclass(frozen=True)
class Account:
    """Whom a token belongs to, and what it may: `write`, `read`, or `fineGrained`.

    `orgs` are the person's roles in organisations; a fine-grained token writes only into the
    names of `writes`.
    """

    name: str
    role: str
    orgs: Mapping[str, str]
    writes: tuple[str, ...] = ()

    def may_write(self, owner: str) -> bool:
        if self.role == "fineGrained":
            return owner in self.writes
        is_member = owner == self.name or self.orgs.get(owner) in ("write", "admin", "contributor")
        return self.role == "write" and is_member

    def may_read(self, owner: str) -> bool:
        return owner == self.name or owner in self.orgs


@dataclasses.dataclass
class Fault:
    """What goes wrong with requests of a method whose path has a pattern in it.

    The first `skip` of them are let through, the next `times` are struck: after `delay_s`,
    and after `after_bytes` of the body (then the connection is reset, or `hold` waited for);
    answered with `status`, or with nothing although the work was done (`lose_answer`).
    """

    method: str
    pattern: str
    status: int = 0
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    body: Any = None
    times: int = 1
    skip: int = 0
    after_bytes: int | None = None
    delay_s: float = 0.0
    lose_answer: bool = False
    hold: threading.Event | None = None
    reached: threading.Event = dataclasses.field(default_factory=threading.Event)
    meanwhile: Callable[[], None] | None = None

    def strikes(self, method: str, path: str) -> bool:
        if method != self.method or not re.search(self.pattern, path) or not self.times:
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


class LocalHub:
    """The whole Hub: its server, its repositories, its tokens, and what it was asked."""

    def __init__(self, folder: pathlib.Path, *, page_size: int = 1000) -> None:
        self.blobs = Blobs(pathlib.Path(folder) / "blobs")
        self.repos: dict[str, Repo] = {}
        self.accounts: dict[str, Account] = {}
        self.log: list[Asked] = []
        self.faults: list[Fault] = []
        self.page_size = page_size
        self.lock = threading.RLock()
        # As with the real one, large contents go to and come from another address.
        self._servers = [
            _Server(("127.0.0.1", 0), functools.partial(_Handler, self)) for _ in range(2)
        ]
        self.url, self.store_url = (f"http://127.0.0.1:{s.server_port}" for s in self._servers)

    def __enter__(self) -> "LocalHub":
        """Begins to serve, in threads."""
        for server in self._servers:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stops serving."""
        for fault in self.faults:
            if fault.hold:
                fault.hold.set()
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def add_token(
        self,
        name: str,
        role: str = "write",
        orgs: Mapping[str, str] | None = None,
        *,
        writes: tuple[str, ...] = (),
        value: str | None = None,
    ) -> str:
        """Returns a new token of a person; `value` is what it shall be."""
        token = value or f"hf_{name}_{role}_{len(self.accounts)}"
        self.accounts[token] = Account(name, role, dict(orgs or {}), writes)
        return token

    def fail(self, method: str, pattern: str, **how: Any) -> Fault:
        """Puts in a fault; see `Fault`."""
        fault = Fault(method, pattern, **how)
        self.faults.append(fault)
        return fault

    def hold(self, method: str, pattern: str, *, after_bytes: int = 0, skip: int = 0) -> Fault:
        """Stops the next such request: `reached` says that it came, `hold.set()` lets it go."""
        gate = threading.Event()
        return self.fail(method, pattern, after_bytes=after_bytes, hold=gate, skip=skip)

    def repo(self, name: str) -> Repo:
        return self.repos[name]

    def add_repo(self, name: str, *, private: bool = True) -> Repo:
        """Returns a new repository, as if somebody had made it by hand."""
        self.repos[name] = Repo(name, private=private, blobs=self.blobs)
        return self.repos[name]

    def content(self, name: str, path: str, revision: str = "main") -> bytes:
        """Returns what a file of a repository holds."""
        return self.blobs.path(self.repos[name].find(revision).tree[path].etag).read_bytes()

    def asked(self, method: str, pattern: str = "") -> list[Asked]:
        """Returns the requests of a method whose path has a pattern in it, in their order."""
        return [a for a in self.log if a.method == method and re.search(pattern, a.path)]

    def environment(self, home: pathlib.Path, **more: str) -> dict[str, str]:
        """Returns what a process needs in its environment to take this for the Hub."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_TOKEN": "",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            **more,
        }

    def signed(self, kind: str, oid: str) -> str:
        """Returns a link that alone gives the right to put or get one content."""
        key = hmac.new(_SECRET, f"{kind}/{oid}".encode(), "sha256").hexdigest()
        return f"{self.store_url}/_{kind}/{oid}?key={key}"

    def strike(self, method: str, path: str) -> Fault | None:
        with self.lock:
            return next((f for f in self.faults if f.strikes(method, path)), None)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Says nothing: clients are killed on purpose."""


class _GoneError(Exception):
    """Raised when the connection is to be reset."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without these, each answer waits 40 ms for a delayed acknowledgement.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def __init__(self, hub: LocalHub, *arguments: Any) -> None:
        self.hub = hub
        super().__init__(*arguments)

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def answer_any(self) -> None:
        split = urlsplit(self.path)
        self.where, self.query = unquote(split.path), parse_qs(split.query)
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        self.account = self.hub.accounts.get(bearer)
        self.has_bad_token = bool(bearer) and self.account is None
        self.asked = Asked(self.command, self.path, self.account.name if self.account else "")
        self.body_left = self._coming()
        with self.hub.lock:
            self.hub.log.append(self.asked)
        self.fault = self.hub.strike(self.command, self.where)
        try:
            if not self._is_struck():
                self._route()
        except StoreError as error:
            self.refuse(error)
        except _GoneError:
            self._reset()

    def do_GET(self) -> None:
        self.answer_any()

    def do_HEAD(self) -> None:
        self.answer_any()

    def do_POST(self) -> None:
        self.answer_any()

    def do_PUT(self) -> None:
        self.answer_any()

    def do_DELETE(self) -> None:
        self.answer_any()

    def _is_struck(self) -> bool:
        fault = self.fault
        if fault is None:
            return False
        if fault.delay_s:
            time.sleep(fault.delay_s)
        if fault.meanwhile:
            fault.meanwhile()
        if fault.hold and not fault.after_bytes:
            fault.reached.set()
            fault.hold.wait()
        if fault.status:
            self.body()
            self.say(fault.status, fault.body or {"error": "put in by a test"}, fault.headers)
        return bool(fault.status)

    def _coming(self) -> Iterator[bytes]:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            while size := int(self.rfile.readline().strip() or b"0", 16):
                yield self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return
        left = int(self.headers.get("content-length") or 0)
        while left:
            chunk = self.rfile.read(min(left, _CHUNK))
            if not chunk:
                raise _GoneError
            left -= len(chunk)
            yield chunk

    def chunks(self) -> Iterator[bytes]:
        """Yields the body as it comes, and cuts it off where a fault says so."""
        for chunk in self.body_left:
            self.asked.sent += len(chunk)
            yield chunk
            fault = self.fault
            if fault and fault.after_bytes and self.asked.sent >= fault.after_bytes:
                fault.reached.set()
                if fault.hold is None:
                    raise _GoneError
                fault.hold.wait()

    def body(self) -> bytes:
        return b"".join(self.chunks())

    def say(
        self,
        status: int,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        content: Iterator[bytes] | None = None,
    ) -> None:
        """Answers; `content` streams what `headers` give the length of."""
        self.body()
        self.asked.status = status
        if self.fault and self.fault.lose_answer:
            raise _GoneError
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        data = b"" if content is not None or body is None else data
        said = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        self.send_response(status)
        for name, value in {**said, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            for chunk in content if content is not None else [data]:
                self.wfile.write(chunk)

    def refuse(self, error: StoreError) -> None:
        headers = {"X-Error-Message": error.message.replace("\n", " ")}
        headers |= {"X-Error-Code": error.code} if error.code else {}
        self.say(error.status, {"error": error.message}, headers)

    def _reset(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()

    def _route(self) -> None:
        for method, pattern, handle in _ROUTES:
            match = re.fullmatch(pattern, self.where)
            if match and self.command in method.split():
                handle(self, *match.groups())
                return
        raise StoreError(404, f"no such route: {self.command} {self.where}")

    # Who may do what.

    def signed_in(self) -> Account:
        if self.account is None:
            said = "Invalid credentials in Authorization header"
            raise StoreError(401, said if self.has_bad_token else "Invalid username or password.")
        return self.account

    def readable(self, name: str) -> Repo:
        """Returns a repository, if the token may see it; a private one is as if not there."""
        if self.has_bad_token:
            self.signed_in()
        repo = self.hub.repos.get(name)
        owner = name.partition("/")[0]
        is_seen = repo and (not repo.private or (self.account and self.account.may_read(owner)))
        if repo is None or not is_seen:
            status = 404 if self.account else 401
            raise StoreError(status, "Repository not found", "RepoNotFound")
        return repo

    def writable(self, name: str) -> Repo:
        account, repo = self.signed_in(), self.readable(name)
        if not account.may_write(name.partition("/")[0]):
            raise StoreError(403, "Forbidden: you have no right to write here")
        return repo

    # The interface.

    def whoami(self) -> None:
        account = self.signed_in()
        orgs = [{"type": "org", "name": n, "roleInOrg": r} for n, r in account.orgs.items()]
        token: dict[str, Any] = {"displayName": "local", "role": account.role}
        if account.role == "fineGrained":
            kinds = {name: "user" if name == account.name else "org" for name in account.writes}
            token["fineGrained"] = {
                "global": [],
                "scoped": [
                    {"entity": {"type": kind, "name": name}, "permissions": ["repo.write"]}
                    for name, kind in kinds.items()
                ],
            }
        auth = {"type": "access_token", "accessToken": token}
        self.say(200, {"type": "user", "name": account.name, "orgs": orgs, "auth": auth})

    def create(self) -> None:
        account, wanted = self.signed_in(), json.loads(self.body())
        owner = wanted.get("organization") or account.name
        name = f"{owner}/{wanted['name']}"
        if wanted.get("type") != "dataset":
            raise StoreError(400, "this Hub has data sets only")
        if not account.may_write(owner):
            said = f'You don\'t have the rights to create a dataset under the namespace "{owner}"'
            raise StoreError(403, said)
        with self.hub.lock:
            url = f"{self.hub.url}/datasets/{name}"
            if name in self.hub.repos:
                said = "You already created this dataset repo"
                self.say(409, {"error": said, "url": url}, {"X-Error-Message": said})
                return
            private = wanted.get("visibility") == "private" or wanted.get("private", False)
            self.hub.add_repo(name, private=private)
        self.say(200, {"url": url, "name": name, "id": "0" * 24})

    def change_settings(self, name: str) -> None:
        repo, wanted = self.writable(name), json.loads(self.body())
        if "visibility" in wanted:
            repo.private = wanted["visibility"] == "private"
        elif "private" in wanted:
            repo.private = bool(wanted["private"])
        self.say(200, {"private": repo.private})

    def validate_card(self) -> None:
        errors, warnings = card_problems(json.loads(self.body())["content"])
        said = {
            "errors": [{"message": message} for message in errors],
            "warnings": [{"message": message} for message in warnings],
        }
        self.say(400 if errors else 200, said)

    def info(self, name: str, revision: str | None = None) -> None:
        repo = self.readable(name)
        commit = repo.find(revision or "main")
        files = [
            {"rfilename": path, "size": entry.size, "blobId": entry.oid}
            for path, entry in sorted(commit.tree.items())
        ]
        said = {"_id": "0" * 24, "id": name, "author": name.partition("/")[0], "sha": commit.id}
        said |= {"private": repo.private, "gated": False, "disabled": False, "tags": []}
        said |= {"lastModified": commit.date, "createdAt": commit.date, "siblings": files}
        self.say(200, said)

    def refs(self, name: str) -> None:
        repo = self.readable(name)

        def listed(kind: str, found: Mapping[str, str]) -> list[dict[str, str]]:
            return [
                {"name": ref, "ref": f"refs/{kind}/{ref}", "targetCommit": commit}
                for ref, commit in found.items()
            ]

        branches, tags = listed("heads", repo.branches), listed("tags", repo.tags)
        self.say(200, {"branches": branches, "tags": tags, "converts": []})

    def commits(self, name: str, revision: str) -> None:
        user = {"user": self.account.name if self.account else "somebody"}
        self._paged(
            [
                {"id": c.id, "title": c.title, "message": "", "date": c.date, "authors": [user]}
                for c in self.readable(name).history(revision)
            ]
        )

    def tree(self, name: str, revision: str, under: str | None = None) -> None:
        found = self.readable(name).find(revision).tree
        prefix = f"{under}/" if under else ""
        is_deep = self.query.get("recursive", [""])[0].lower() in ("true", "1")
        inside = {path: e for path, e in found.items() if path.startswith(prefix)}
        if under and not inside:
            raise StoreError(404, f"{under} does not exist on {revision}", "EntryNotFound")
        folders = _folders_of(inside, prefix)
        entries = [e.plain(path) for path, e in sorted(inside.items())]
        entries += [_folder(path) for path in sorted(folders)]
        near = [e for e in entries if is_deep or "/" not in e["path"][len(prefix) :]]
        self._paged(near)

    def paths_info(self, name: str, revision: str) -> None:
        found = self.readable(name).find(revision).tree
        raw = self.body()
        is_json = "json" in self.headers.get("content-type", "")
        paths = (json.loads(raw) if is_json else parse_qs(raw.decode()))["paths"]
        folders = _folders_of(found, "")
        said = [found[path].plain(path) for path in paths if path in found]
        self.say(200, said + [_folder(path) for path in paths if path in folders])

    def preupload(self, name: str, branch: str) -> None:
        repo = self.writable(name)
        tree, said = repo.find(branch).tree, []
        for file in json.loads(self.body())["files"]:
            mode = repo.upload_mode(file["path"], file["size"], base64.b64decode(file["sample"]))
            oid = tree[file["path"]].etag if file["path"] in tree else None
            said.append({"path": file["path"], "uploadMode": mode, "oid": oid})
            said[-1]["shouldIgnore"] = False
        self.say(200, {"files": said})

    def lfs_batch(self, name: str) -> None:
        self.writable(name)
        said = []
        for wanted in json.loads(self.body())["objects"]:
            one = {"oid": wanted["oid"], "size": wanted["size"]}
            if wanted["oid"] not in self.hub.blobs:
                put = {"href": self.hub.signed("lfs", wanted["oid"])}
                verify = {"href": f"{self.hub.url}/datasets/{name}.git/info/lfs/verify"}
                one["actions"] = {"upload": put, "verify": verify}
            said.append(one)
        self.say(200, {"transfer": "basic", "objects": said})

    def put_content(self, oid: str) -> None:
        self._refuse_unsigned("lfs", oid)
        self.hub.blobs.put(oid, self.chunks())
        self.say(200)

    def verify(self, name: str) -> None:
        self.writable(name)
        wanted = json.loads(self.body())
        path = self.hub.blobs.path(wanted["oid"])
        if not path.exists() or path.stat().st_size != wanted["size"]:
            raise StoreError(404, "the content has not come")
        self.say(200, {})

    def commit(self, name: str, branch: str) -> None:
        repo = self.writable(name)
        lines = [json.loads(line) for line in self.body().splitlines()]
        header = lines[0]["value"]
        with repo.lock:
            if branch not in repo.branches:
                raise StoreError(404, f"Invalid rev id: {branch}", "RevisionNotFound")
            parent = header.get("parentCommit")
            if parent and parent != repo.branches[branch]:
                raise StoreError(412, "A commit has happened since. Please refresh and try again.")
            changes: dict[str, Entry | None] = {}
            for line in lines[1:]:
                self._change(repo, line["key"], line["value"], changes)
            made = repo.commit(branch, header["summary"], changes)
        url = f"{self.hub.url}/datasets/{name}/commit/{made.id}"
        self.say(200, {"success": True, "commitOid": made.id, "commitUrl": url, "hookOutput": ""})

    def _change(
        self, repo: Repo, key: str, value: dict[str, Any], changes: dict[str, Entry | None]
    ) -> None:
        path = value["path"]
        if key == "file":
            content = base64.b64decode(value["content"])
            errors = card_problems(content.decode())[0] if path == "README.md" else []
            if errors:
                raise StoreError(400, "; ".join(errors))
            changes[path] = repo.keep(content)
        elif key == "lfsFile":
            if value["oid"] not in self.hub.blobs:
                raise StoreError(400, f"the LFS object {value['oid']} of {path} has not come")
            changes[path] = lfs_entry(value["oid"], value["size"])
        elif key == "deletedFile":
            changes[path] = None
        else:
            raise StoreError(400, f"unknown operation {key}")

    def tag(self, name: str, revision: str) -> None:
        repo, wanted = self.writable(name), json.loads(self.body())["tag"]
        with repo.lock:
            if wanted in repo.tags:
                raise StoreError(409, "Tag reference exists already.")
            repo.tags[wanted] = repo.find(revision).id
        self.say(200, {})

    def untag(self, name: str, tag: str) -> None:
        if self.writable(name).tags.pop(tag, None) is None:
            raise StoreError(404, f"no tag {tag}", "RevisionNotFound")
        self.say(200, {})

    def branch(self, name: str, branch: str) -> None:
        repo = self.writable(name)
        start = json.loads(self.body() or b"{}").get("startingPoint") or "main"
        if branch in repo.branches:
            raise StoreError(409, "Reference already exists")
        repo.branches[branch] = repo.find(start).id
        self.say(200, {})

    def resolve(self, name: str, revision: str, path: str) -> None:
        commit = self.readable(name).find(revision)
        entry = commit.tree.get(path)
        headers = {"X-Repo-Commit": commit.id}
        if entry is None:
            headers |= {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            self.say(404, {"error": "Entry not found"}, headers)
            return
        if entry.sha256:
            # As on the real Hub, large contents come from elsewhere, by a signed link.
            headers |= {"X-Linked-Etag": f'"{entry.sha256}"', "X-Linked-Size": str(entry.size)}
            headers["Location"] = self.hub.signed("content", entry.sha256)
            self.say(302, None, headers)
        else:
            self._stream(entry.oid, headers)

    def get_content(self, oid: str) -> None:
        self._refuse_unsigned("content", oid)
        self._stream(oid, {})

    def _refuse_unsigned(self, kind: str, oid: str) -> None:
        if f"{self.hub.store_url}{self.path}" != self.hub.signed(kind, oid):
            raise StoreError(403, "the link is not signed")
        if self.headers.get("authorization"):
            raise StoreError(400, "a signed link must not be sent a token as well")

    def _stream(self, digest: str, headers: dict[str, str]) -> None:
        path = self.hub.blobs.path(digest)
        size = path.stat().st_size
        start, end = _range_of(self.headers.get("range"), size)
        headers |= {"ETag": f'"{digest}"', "Accept-Ranges": "bytes"}
        headers |= {"Content-Length": str(end - start), "Content-Type": "application/octet-stream"}
        is_part = self.headers.get("range") is not None
        if is_part:
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self.say(206 if is_part else 200, None, headers, _part_of(path, start, end))

    def _paged(self, items: list[Any]) -> None:
        """Answers with a page of a list, and a link to the next one."""
        start = int(self.query.get("cursor", ["0"])[0])
        end = start + self.hub.page_size
        kept = {name: values[0] for name, values in self.query.items()} | {"cursor": str(end)}
        where = "&".join(f"{name}={value}" for name, value in kept.items())
        link = f'<{self.hub.url}{urlsplit(self.path).path}?{where}>; rel="next"'
        self.say(200, items[start:end], {"Link": link} if end < len(items) else None)


_REPO = r"/api/datasets/([^/]+/[^/]+)"
_GIT = r"/datasets/([^/]+/[^/]+)\.git/info/lfs"
_ROUTES: list[tuple[str, str, Callable[..., None]]] = [
    ("GET", r"/api/whoami-v2", _Handler.whoami),
    ("POST", r"/api/repos/create", _Handler.create),
    ("POST", r"/api/validate-yaml", _Handler.validate_card),
    ("GET", _REPO, _Handler.info),
    ("GET", rf"{_REPO}/revision/(.+)", _Handler.info),
    ("GET", rf"{_REPO}/refs", _Handler.refs),
    ("GET", rf"{_REPO}/commits/(.+)", _Handler.commits),
    ("GET", rf"{_REPO}/tree/([^/]+)", _Handler.tree),
    ("GET", rf"{_REPO}/tree/([^/]+)/(.+)", _Handler.tree),
    ("POST", rf"{_REPO}/paths-info/(.+)", _Handler.paths_info),
    ("POST", rf"{_REPO}/preupload/(.+)", _Handler.preupload),
    ("POST", rf"{_REPO}/commit/(.+)", _Handler.commit),
    ("POST", rf"{_REPO}/tag/(.+)", _Handler.tag),
    ("DELETE", rf"{_REPO}/tag/(.+)", _Handler.untag),
    ("POST", rf"{_REPO}/branch/(.+)", _Handler.branch),
    ("PUT", rf"{_REPO}/settings", _Handler.change_settings),
    ("POST", rf"{_GIT}/objects/batch", _Handler.lfs_batch),
    ("POST", rf"{_GIT}/verify", _Handler.verify),
    ("PUT", r"/_lfs/([0-9a-f]{64})", _Handler.put_content),
    ("GET HEAD", r"/_content/([0-9a-f]{64})", _Handler.get_content),
    ("GET HEAD", r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", _Handler.resolve),
]


def _folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "oid": git_digest(path.encode()), "size": 0}


def _folders_of(paths: Mapping[str, Entry], prefix: str) -> set[str]:
    """Returns all folders below a prefix that lead to files."""
    found = set()
    for path in paths:
        while "/" in path[len(prefix) :]:
            path = path.rpartition("/")[0]
            found.add(path)
    return found


def _range_of(asked: str | None, size: int) -> tuple[int, int]:
    """Returns the half-open range of bytes that a request wants."""
    match = re.fullmatch(r"bytes=(\d*)-(\d*)", asked or "")
    if match is None:
        return 0, size
    first, last = match.groups()
    if not first:
        return max(0, size - int(last)), size
    if int(first) >= size:
        raise StoreError(416, "nothing lies there")
    return int(first), min(int(last) + 1, size) if last else size


def _part_of(path: pathlib.Path, start: int, end: int) -> Iterator[bytes]:
    with open(path, "rb") as file:
        file.seek(start)
        while start < end:
            chunk = file.read(min(_CHUNK, end - start))
            start += len(chunk)
            yield chunk


def main() -> None:
    folder, owner = sys.argv[1:]
    with LocalHub(pathlib.Path(folder)) as hub:
        print(hub.url, hub.add_token(owner), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
