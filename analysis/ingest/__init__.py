"""Raw files in, validated frames out; the only place that reads what other people wrote."""
