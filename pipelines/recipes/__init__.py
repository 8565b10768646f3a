"""One module a dataset: its function is the drawing of the data flow."""
