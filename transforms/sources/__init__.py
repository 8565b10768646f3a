"""Readers: one module a source, each turns the source's format into our row types."""
