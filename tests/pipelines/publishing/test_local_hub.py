"""The Hub of the tests is as strict as the real one where publishing relies on it."""

import huggingface_hub
import pytest
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import HfHubHTTPError

REPO = "acme/screens"


@pytest.fixture
def api(hub, token, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", hub.url)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    return HfApi(endpoint=hub.url, token=token)


def status(call, *arguments, **more) -> int:
    with pytest.raises(HfHubHTTPError) as caught:
        call(*arguments, **more)
    return caught.value.response.status_code


def test_rights(api, hub):
    api.create_repo(REPO, repo_type="dataset", private=True)
    assert status(api.create_repo, REPO, repo_type="dataset") == 409
    assert status(api.create_repo, "others/x", repo_type="dataset") == 403
    assert status(api.dataset_info, REPO, token=False) == 401
    assert status(api.dataset_info, REPO, token=hub.add_token("eve")) == 404
    assert status(api.whoami, token="hf_nobody") == 401
    reader = hub.add_token("rob", "read", {"acme": "read"})
    assert api.dataset_info(REPO, token=reader).private
    assert status(api.create_tag, REPO, tag="x", repo_type="dataset", token=reader) == 403


def test_commits_and_tags(api, hub):
    api.create_repo(REPO, repo_type="dataset")
    head = hub.repo(REPO).branches["main"]

    def commit(*operations, parent=None):
        return api.create_commit(
            REPO, operations, commit_message="m", repo_type="dataset", parent_commit=parent
        )

    made = commit(CommitOperationAdd("a.parquet", b"PAR1"), CommitOperationAdd("b/c.txt", b"c"))
    assert hub.content(REPO, "a.parquet") == b"PAR1"
    assert hub.repo(REPO).find("main").tree["a.parquet"].sha256
    assert not hub.repo(REPO).find("main").tree["b/c.txt"].sha256
    assert status(commit, CommitOperationAdd("d", b"d"), parent=head) == 412
    assert status(commit, CommitOperationDelete("nothing")) == 404
    api.create_tag(REPO, tag="v1", repo_type="dataset")
    assert hub.repo(REPO).tags == {"v1": made.oid}
    assert status(api.create_tag, REPO, tag="v1", repo_type="dataset") == 409
    with pytest.raises(ValueError, match="license"):
        commit(CommitOperationAdd("README.md", b"---\nlicense: Apache-2.0\n---\n"))


def test_a_content_is_kept_whole_or_not_at_all(api, hub):
    api.create_repo(REPO, repo_type="dataset")
    session = huggingface_hub.get_session()
    digest = "0" * 64
    url = hub.signed("lfs", digest)
    assert session.put(url, content=b"another").status_code == 400
    assert session.put(url.partition("?")[0], content=b"another").status_code == 403
    assert digest not in hub.blobs
    line = b'{"key":"header","value":{"summary":"m"}}\n'
    line += b'{"key":"lfsFile","value":{"path":"x","algo":"sha256","oid":"%s","size":7}}' % (
        digest.encode()
    )
    answer = session.post(
        f"{hub.url}/api/datasets/{REPO}/commit/main",
        content=line,
        headers={"Authorization": f"Bearer {api.token}"},
    )
    assert answer.status_code == 400
    assert "has not come" in answer.text
