"""The documentation as a site: pages gathered, built by Sphinx, nothing loaded from elsewhere."""
