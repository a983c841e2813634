"""What every format shares: records, safe reading of files, archives and JSON, values; no format's names."""
