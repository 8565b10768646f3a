"""Steps: a pure function on top, the Beam transform of the same name under it."""
