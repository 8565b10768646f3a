"""Secrets in texts: found wherever they lie, and never said."""

import pytest

from pipelines.publishing.contents import LocalFile
from pipelines.publishing.secret_scanning import known_secrets, secrets_in

KEYS = {
    "a Hugging Face token": "hf_" + "a1" * 17,
    "a Google key": "AIza" + "b_2-" * 8 + "abc",
    "an OpenAI key": "sk-proj-" + "c3" * 20,
    "an AWS key": "AKIA" + "D4" * 8,
    "a GitHub token": "ghp_" + "e5" * 18,
    "a private key": "-----BEGIN RSA PRIVATE KEY-----",
}


def found(tmp_path, text, known=None):
    path = tmp_path / "x.tsv"
    path.write_text(text)
    return secrets_in([LocalFile("x.tsv", str(path), 0, "")], known or {})


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_of_each_kind_is_found_by_its_line(tmp_path, kind):
    said = found(tmp_path, f"a\nb\t{KEYS[kind]}\tc\n")
    assert said == [f"x.tsv, line 2: {kind}"]


def test_what_only_looks_a_little_like_one_is_none(tmp_path):
    text = "hf_short sk-learn risk-" + "a" * 40 + " xAIza" + "b" * 35 + " com.example.hf_app\n"
    assert found(tmp_path, text) == []


@pytest.mark.parametrize("before", [(1 << 20) - 20, (1 << 20) - 1, 1 << 20, 3 << 20])
def test_a_key_across_two_pieces_of_a_large_file_is_found_once(tmp_path, before):
    text = "x" * 99 + "\n"
    text = (text * (before // 100 + 1))[: before - 1] + " " + KEYS["a Google key"] + " y" * 9000
    (said,) = found(tmp_path, text)
    assert said == f"x.tsv, line {text[:before].count(chr(10)) + 1:,}: a Google key"


def test_the_values_of_secret_variables_are_known_by_their_names():
    environment = {
        "HF_TOKEN": "0123456789abc",
        "MY_SECRET": " 0123456789abd ",
        "GEMINI_API_KEY": "0123456789abe",
        "SHORT_TOKEN": "abc",
        "PATH": "/usr/bin:/usr/local/bin",
    }
    assert known_secrets(environment) == {
        "HF_TOKEN": "0123456789abc",
        "MY_SECRET": "0123456789abd",
        "GEMINI_API_KEY": "0123456789abe",
    }


def test_a_known_secret_is_found_and_not_repeated(tmp_path):
    said = found(tmp_path, "a\nmy.odd+secret!here\n", {"ODD_TOKEN": "my.odd+secret!"})
    assert said == ["x.tsv, line 2: the value of ODD_TOKEN"]
