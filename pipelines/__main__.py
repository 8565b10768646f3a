"""`python -m pipelines` is the `screenset` command."""

from pipelines.cli import main

if __name__ == "__main__":
    main()
