"""Draws the bundled demo sample and writes it in the formats of the real sources."""
