"""Asks numbered questions in a process of its own: `asking_process.py URL FOLDER COUNT WIDTH`."""

import sys

from schemas.models import Limits, ModelPolicy
from transforms.models.asker import Asker, AskPlan
from transforms.models.calling import Question
from transforms.models.pricing import make_request


def plan_at(url: str, folder: str, width: int) -> AskPlan:
    policy = ModelPolicy(
        "gemini", "gemini-fake", base_url=url, limits=Limits(concurrency=width), timeout_s=600
    )
    return AskPlan(policy, f"{folder}/cache", f"{folder}/state", f"{folder}/ledger")


def main() -> None:
    url, folder, count, width = sys.argv[1:]
    plan = plan_at(url, folder, int(width))
    asker = Asker(plan)
    questions = [
        Question(make_request(plan.policy, f"question {number}", "v1"))
        for number in range(int(count))
    ]
    for answered in asker.ask_all(questions):
        print(answered.reply.text)
    print(f"paid {asker.caller.paid}")
    asker.close()


if __name__ == "__main__":
    main()
