"""The `vlbench` command."""


def main() -> None:
    """Run the command line."""
