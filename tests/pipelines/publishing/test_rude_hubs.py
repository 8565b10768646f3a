"""What is no Hub, or a way to it that nobody can go: a sentence each, and soon."""

import sys
import time

import httpx2
import huggingface_hub
import pytest
import rude_hub
from huggingface_hub import constants
from rude_hub import MISSHAPEN, saying

from pipelines.diffing.hub import open_hub
from pipelines.errors import UserError
from pipelines.publishing import client, hub, tokens
from pipelines.publishing.client import Deadline, Limits, set_up_client
from pipelines.publishing.endpoint import without_userinfo
from pipelines.publishing.findings import Mark
from pipelines.publishing.hub_errors import HubError
from pipelines.publishing.publish import published_text
from pipelines.publishing.translating import asked_wait

SECRET = "S3CRETofSomebody"
ADDRESS = "hf://datasets/acme/screens"
NEVER_DONE = {
    "silent": rude_hub.silent,
    "dripping head": rude_hub.dripping_head,
    "dripping body": rude_hub.dripping_body,
}
TOO_LARGE = {
    "immense": rude_hub.immense,
    "endless": rude_hub.endless,
    "endless redirect": rude_hub.endless_redirect,
    "endless refusal": lambda link, over: rude_hub.endless(link, over, head=b"403 Forbidden"),
}
NO_ADDRESSES = [
    *("http://127.0.0.1:abc", "http://127.0.0.1:99999", "http://[bad", "ftp://127.0.0.1"),
    *("", "huggingface.co", "http://", f"http://u:{SECRET}@[bad", f"http://h?token={SECRET}"),
]
NO_PROXIES = [
    "http://127.0.0.1:abc",
    f"http://u:{SECRET}@[x",
    "ftp://127.0.0.1:9",
    "http://h:99999",
]


@pytest.fixture
def at(publish_here, monkeypatch):
    """Returns what has the Hub be elsewhere from now on."""

    def move(address: str) -> None:
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.setattr(constants, "ENDPOINT", address)

    return move


@pytest.fixture
def proxied(publish_here, monkeypatch):
    """Returns what names a proxy for everything."""

    def name(proxy: str) -> None:
        for variable in ("NO_PROXY", "no_proxy", "HTTPS_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv("http_proxy", proxy)

    return name


def texts(done) -> dict[str, str]:
    return {finding.subject: finding.text for finding in done.findings}


@pytest.mark.parametrize("how", NEVER_DONE)
def test_a_dry_run_ends_however_slow_the_hub_is(publish_here, built, at, monkeypatch, how):
    monkeypatch.setattr(hub, "QUICK_S", 0.7)
    folder = built(dataset="few")
    with rude_hub.rude_hub(NEVER_DONE[how]) as address:
        at(address)
        began = time.monotonic()
        done = publish_here(folder, dry_run=True)
        assert time.monotonic() - began < 10
    assert done.exit_code == 0
    assert "the Hub was not done within" in texts(done)["repository"]
    assert "as if nothing lay there" in published_text(done)


@pytest.mark.parametrize("how", TOO_LARGE)
def test_an_answer_without_end_is_not_read_to_it(publish_here, built, at, monkeypatch, how):
    monkeypatch.setattr(client, "LARGEST_ANSWER", 1 << 20)
    with rude_hub.rude_hub(TOO_LARGE[how]) as address:
        at(address)
        done = publish_here(built(dataset="few"), dry_run=True)
        assert "has more than 1.0 MB" in texts(done)["repository"]
        with pytest.raises(UserError, match=r"has more than 1\.0 MB"):
            open_hub(ADDRESS, None)


def test_what_is_packed_small_and_grows_is_not_unpacked(publish_here, at):
    packed = saying(b"\x1f\x8b" + b"x" * 100_000, headers="Content-Encoding: gzip\r\n")
    with rude_hub.rude_hub(packed) as address:
        at(address)
        with pytest.raises(UserError, match="has more than"):
            open_hub(ADDRESS, None)


@pytest.mark.parametrize("what", MISSHAPEN)
@pytest.mark.parametrize("redirected", [False, True])
def test_an_answer_of_another_shape_is_a_sentence(publish_here, built, at, what, redirected):
    with rude_hub.rude_hub(saying(MISSHAPEN[what])) as address:
        if redirected:
            there = saying(b"", "307 Temporary Redirect", f"Location: {address}/x\r\n")
            with rude_hub.rude_hub(there) as first:
                at(first)
                done = publish_here(built(dataset="few"), dry_run=True)
                with pytest.raises(UserError) as caught:
                    open_hub(ADDRESS, None)
        else:
            at(address)
            done = publish_here(built(dataset="few"), dry_run=True)
            with pytest.raises(UserError) as caught:
                open_hub(ADDRESS, None)
    assert done.exit_code == 0
    assert "repository" in texts(done)
    said = str(caught.value)
    assert "looking at the data set: the Hub's answer is" in said
    assert "\n" not in said


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_an_endpoint_that_is_none_is_one_sentence(publish_here, built, monkeypatch, address, hub):
    monkeypatch.setenv("HF_ENDPOINT", address)
    for call in (
        lambda: publish_here(built(dataset="few"), dry_run=True),
        lambda: publish_here(built(dataset="few")),
        lambda: open_hub(ADDRESS, None),
    ):
        with pytest.raises(UserError, match="HF_ENDPOINT is no address like https://") as caught:
            call()
        assert SECRET not in str(caught.value)
    assert hub.log == []


def test_the_library_is_not_asked_about_an_endpoint_that_it_trips_over(run, built, environment):
    """It takes the address apart when it is imported."""
    variables = {**environment, "HF_ENDPOINT": f"http://u:{SECRET}@[bad"}
    folder = built(dataset="few")
    for command in (
        ("publish", folder, "--repo", "acme/screens", "--dry-run"),
        ("diff", folder, ADDRESS),
    ):
        done = run(*command, **variables)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert "HF_ENDPOINT is no address" in done.stderr
        assert SECRET not in done.stderr


@pytest.mark.parametrize("proxy", NO_PROXIES)
def test_a_proxy_that_is_none_is_one_sentence(publish_here, built, proxied, proxy):
    proxied(proxy)
    for call in (
        lambda: publish_here(built(dataset="few"), dry_run=True),
        lambda: open_hub(ADDRESS, None),
    ):
        with pytest.raises(UserError, match="names a proxy that cannot be used") as caught:
            call()
        assert SECRET not in str(caught.value)


def test_a_socks_proxy_without_its_package_is_one_sentence(
    publish_here, built, proxied, monkeypatch
):
    monkeypatch.setitem(sys.modules, "socksio", None)
    proxied(f"socks5://u:{SECRET}@127.0.0.1:9")
    for call in (
        lambda: publish_here(built(dataset="few"), dry_run=True),
        lambda: open_hub(ADDRESS, None),
    ):
        with pytest.raises(UserError, match=r"a SOCKS proxy, for which .* socksio") as caught:
            call()
        assert SECRET not in str(caught.value)


def test_certificates_that_are_not_there_are_one_sentence(publish_here, monkeypatch, tmp_path):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(UserError, match="names certificates that cannot be read"):
        open_hub(ADDRESS, None)


def test_a_proxy_that_is_not_there_does_not_tell_its_password(publish_here, built, proxied):
    proxied(f"http://u:{SECRET}@127.0.0.1:9")
    done = publish_here(built(dataset="few"), dry_run=True)
    assert SECRET not in published_text(done)
    with pytest.raises(UserError, match="cannot be reached") as caught:
        open_hub(ADDRESS, None)
    assert SECRET not in str(caught.value)


def test_the_password_of_an_endpoint_is_shown_nowhere(publish_here, built, at, hub):
    for door in ("127.0.0.1:9", hub.url.removeprefix("http://")):
        at(f"http://u:{SECRET}@{door}")
        done = publish_here(built(dataset="few"), dry_run=True)
        assert SECRET not in published_text(done) + repr(done)
        assert f"http://{door}/datasets/acme/screens" in published_text(done)
    assert without_userinfo("at http://u:a@b@host/x?y=z@w") == "at http://host/x?y=z@w"


@pytest.mark.parametrize("value", ["hf_secreté", "hf_\udcffsecret", "hf_a b"])
def test_a_token_that_cannot_be_sent_is_one_sentence(publish_here, monkeypatch, value):
    monkeypatch.setenv("HF_TOKEN", value)
    with pytest.raises(UserError, match="HF_TOKEN holds characters that no token has") as caught:
        open_hub(ADDRESS, None)
    assert "secret" not in str(caught.value)


def test_a_store_that_never_ends_is_not_waited_for(monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "")
    monkeypatch.setattr(tokens, "_LIMIT_S", 0.1)
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: time.sleep(5))
    assert "could not be renewed" in tokens.find_token(None).problem


def test_whose_a_token_is_may_stay_untold(publish_here, built, hub):
    hub.fail("GET", "/whoami", status=200, body=b"{}", times=9)
    done = publish_here(built(dataset="few"), dry_run=True)
    assert texts(done)["token"].startswith("the Hub did not tell whose the token of HF_TOKEN is;")


@pytest.mark.parametrize("value", ["²", "٣", "-1", "1e9", "Mon, 99 Foo", "9" * 500])
def test_a_wait_that_is_no_number_is_no_end(publish_here, built, hub, slept, value):
    asks = {"Retry-After": value}
    if not value.isascii():
        # On the wire a header is bytes; these come in as Latin-1 or UTF-8.
        asks = {"Retry-After": value.encode().decode("latin-1")}
    wait = asked_wait({"Retry-After": value})
    assert wait is None or wait > 1e8
    if wait is None:
        hub.fail("GET", "/tree/", status=503, headers=asks)
        assert publish_here(built(dataset="few")).exit_code == 0


def test_a_header_of_superscripts_is_taken_away(publish_here, at):
    busy = saying(b"{}", "503 Busy", "Retry-After: \xb2\r\n")
    with rude_hub.rude_hub(busy) as address:
        at(address)
        set_up_client(Limits(5, 5))
        answer = huggingface_hub.get_session().get(address)
        assert "Retry-After" not in answer.headers
        with pytest.raises(UserError, match="the Hub answered 503"):
            open_hub(ADDRESS, None)


def test_a_deadline_is_for_all_calls_together():
    deadline = Deadline(0.3)
    assert deadline.call("asking", lambda: 3) == 3
    with pytest.raises(KeyError):
        deadline.call("asking", lambda: {}["x"])
    with pytest.raises(HubError, match="asking: the Hub was not done within"):
        deadline.call("asking", lambda: time.sleep(3))
    with pytest.raises(HubError, match="then: the Hub was not done within"):
        deadline.call("then", lambda: pytest.fail("it is too late"))


def test_a_file_that_is_streamed_may_be_larger(publish_here, monkeypatch):
    monkeypatch.setattr(client, "LARGEST_ANSWER", 100)
    set_up_client(Limits(5, 5))
    with rude_hub.rude_hub(saying(b"x" * 1000)) as address:
        session = huggingface_hub.get_session()
        with session.stream("GET", address) as answer:
            assert len(answer.read()) == 1000
        with pytest.raises(HubError, match="has more than"):
            session.get(address)
        assert session.head(address).status_code == 200


def test_a_call_that_asks_for_no_time_limit_gets_ours(publish_here):
    """`HfApi.dataset_info` does, unless it is told otherwise."""
    set_up_client(Limits(5, 0.3))
    with rude_hub.rude_hub(rude_hub.silent) as address:
        with pytest.raises(httpx2.ReadTimeout):
            huggingface_hub.get_session().get(address, timeout=None)


def test_findings_of_a_dry_run_are_notes_alone(publish_here, built, at):
    at("http://127.0.0.1:9")
    done = publish_here(built(dataset="few"), dry_run=True)
    assert Mark.WRONG not in {finding.mark for finding in done.findings}
