"""Ready-made taxonomies as lookup tables."""
