"""A finished build put on the Hugging Face Hub: whole, once, and read back."""
