"""Taxonomies: value generalization hierarchies of single columns, kept as lookup tables."""
