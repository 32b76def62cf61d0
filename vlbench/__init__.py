"""vlbench: benchmarks for vision-language models behind any API."""

__version__ = "0.1.0"
