"""Examples of a conversation with a model about a screen, made of published questions."""
