"""Layouts of phone screens: each module draws the screens of one kind of app."""
