"""Asking models: providers, the store of replies, limits, budgets; one room for all tasks."""
