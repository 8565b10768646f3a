"""Forms that rules can give a short answer, offline: one module a kind, `rewriting` on top."""
