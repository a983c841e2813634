"""Pages: derived tables and figures in, words and a static site out. No statistics are computed here."""
