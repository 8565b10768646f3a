"""Bringing the sources: downloads that resume and are checked, archives, an app store."""
