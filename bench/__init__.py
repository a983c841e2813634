"""Speed and memory beside what a user would use instead; the package imports nothing from here."""
