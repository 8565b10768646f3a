"""Row types: what flows between the steps and what is published."""
