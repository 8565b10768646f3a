"""Tests of what the manifest says of models and prices."""

import pytest

from pipelines.manifest_reading import parse_manifest
from pipelines.yaml_sections import ManifestError
from schemas.models import Budget, Limits, ModelPolicy, Price
from schemas.short_answers import ShortAnswerPolicy

MANIFEST = """\
version: 1
{prices}
sources:
  answers: {{kind: screenqa_answers, files: {{train: a.json}}, licence: none}}
  screens: {{kind: rico_combined, path: s, licence: none}}
datasets:
  questions:
    recipe: screenqa
    version: 1.0.0
    sources: {{answers: answers, screens: screens}}
    splits: {{by: screen}}
    short_answers: {short_answers}
"""


def policy_of(short_answers, prices=""):
    text = MANIFEST.format(short_answers=short_answers, prices=prices)
    return parse_manifest(text).datasets["questions"].short_answers


def problem_of(short_answers, prices=""):
    with pytest.raises(ManifestError) as caught:
        policy_of(short_answers, prices)
    (problem,) = caught.value.problems
    return str(problem)


def test_nothing_makes_short_answers_unless_it_is_asked_for():
    assert policy_of("{}") == ShortAnswerPolicy()


def test_rules_need_nothing_else():
    assert policy_of("{provider: rules}") == ShortAnswerPolicy("rules")


def test_a_model_is_described_whole():
    found = policy_of(
        "{provider: gemini, model: g-1, temperature: 0.5, max_output_tokens: 99, tries: 2, "
        "structured_output: true, batch: true, key_env: MY_KEY, vertex_project: p, "
        "vertex_location: l, timeout_s: 9.5, parameters: {seed: 7, top_p: 0.9, mode: fast}, "
        "limits: {per_minute: 6, tokens_per_minute: 600, per_day: 60, concurrency: 3}, "
        "budget: {calls: 5, tokens: 500, cost: 1.5}, max_words: 9, verified_per_stratum: 3}",
        "prices: {g-1: {input_per_million: 0.3, output_per_million: 2.5, currency: EUR}}",
    )
    assert found == ShortAnswerPolicy(
        provider="gemini",
        model=ModelPolicy(
            provider="gemini",
            model="g-1",
            temperature=0.5,
            max_output_tokens=99,
            structured_output=True,
            batch=True,
            key_env="MY_KEY",
            vertex_project="p",
            vertex_location="l",
            parameters=(("mode", "fast"), ("seed", 7), ("top_p", 0.9)),
            tries=2,
            timeout_s=9.5,
            limits=Limits(6, 600, 60, 3),
            budget=Budget(5, 500, 1.5),
            price=Price(0.3, 2.5, "EUR"),
        ),
        max_words=9,
        verified_per_stratum=3,
    )


def test_auto_names_a_model_for_the_case_that_there_is_a_key():
    found = policy_of("{provider: auto}")
    assert (found.provider, found.model.provider) == ("auto", "gemini")
    assert found.model.parameters == (("thinking_budget", 0),)


def test_a_provider_of_ones_own_is_named_by_its_path():
    found = policy_of("{provider: 'my_models:MyProvider', model: m}")
    assert (found.provider, found.model.provider) == ("my_models:MyProvider",) * 2


@pytest.mark.parametrize(
    ("short_answers", "problem"),
    [
        ("{provider: gemeni, model: g}", "'gemeni' is none of none, rules, gemini"),
        ("{provider: gemini}", "short_answers.model: is missing"),
        ("{provider: rules, model: g}", "the provider rules asks no model"),
        ("{provider: rules, temperature: 1}", "the provider rules asks no model"),
        ("{provider: gemini, model: g, budget: {cost: 1}}", "needs a price of g: see prices"),
        ("{provider: gemini, model: g, budget: {cost: -1}}", "must be a number of 0 or more"),
        ("{provider: gemini, model: g, limits: {per_minute: 0}}", "of at least 1"),
        ("{provider: gemini, model: g, key_env: 'sk-123'}", "no name of a variable"),
        ("{provider: gemini, model: g, max_chars: 501}", "must be at most 500"),
        ("{provider: gemini, model: g, parameters: {temperature: 1}}", "has a key of its own"),
        ("{provider: gemini, model: g, parameters: {seed: [1]}}", "must be a text, a number"),
        ("{provider: gemini, model: g, key: AIza}", "unknown key"),
    ],
)
def test_each_mistake_is_one_problem(short_answers, problem):
    assert problem in problem_of(short_answers)


def test_a_key_in_the_wrong_place_is_not_shown():
    assert "AIza" not in problem_of("{provider: gemini, model: g, key: AIza}")
    secret = "{provider: openai_compatible, model: g, base_url: 'ftp://u:AIza@h'}"
    assert "AIza" not in problem_of(secret)


def test_prices_are_numbers():
    problem = problem_of("{}", "prices: {g-1: {input_per_million: cheap, output_per_million: 1}}")
    assert "prices.g-1.input_per_million: must be a number of 0 or more" in problem
