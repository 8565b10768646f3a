"""Graphs and commands: the only code that knows paths, flags, downloads and the Hub."""
