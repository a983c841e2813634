"""Pages: derived tables and figures in, words, HTML and a static site out. No statistics are computed here."""
