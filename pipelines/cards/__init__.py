"""Dataset cards: what a finished build says of itself to people, the Hub and Croissant."""
