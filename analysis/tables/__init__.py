"""Validated frames in, derived frames out: one module per table, no I/O, no statistics of its own."""
