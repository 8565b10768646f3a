"""Annotation passes: from raw events to answered questions, and how far people agreed."""
