"""Built-in demonstration benchmarks: they write raw folders that the pipeline then reads like anyone's data."""
