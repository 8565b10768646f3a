"""Pages of one file: their frame, their style, and what keeps text from becoming markup."""
