"""What is done to a screen before anybody asks it a question."""
