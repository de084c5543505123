"""Speed and quality, measured: `python -m benchmarks` lists what there is, `make bench` runs all of it. Only ratios
within one run are kept, in RESULTS.md. Nothing here is part of the product."""
