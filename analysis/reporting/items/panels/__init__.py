"""What an item's part of a page is made of: one module per panel, listed in `registry`."""
