"""How answers are compared."""
