"""`python -m vlbench`."""

from vlbench.cli.main import main

if __name__ == "__main__":
    main()
