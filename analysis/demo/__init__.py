"""Built-in demonstration benchmarks: they write raw folders that the pipeline reads like anyone's data."""
