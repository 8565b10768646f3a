"""`screenset check`: a finished build held against rules, shard by shard and as a whole."""
