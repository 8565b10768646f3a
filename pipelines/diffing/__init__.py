"""`screenset diff`: what differs between two finished builds, on disk or on the Hub."""
