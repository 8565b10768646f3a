"""Short answers: prompts, replies, and forms that rules can give."""
