"""The knowledge base: entries as files, the checks that hold them together, and the search over them."""
