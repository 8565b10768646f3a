"""`screenset report`: what a finished build is, on one page."""
