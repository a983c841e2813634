"""The pages of single items: which items have one, what stands on it, and the list of them all."""
