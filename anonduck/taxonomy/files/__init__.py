"""Taxonomies from files and to files."""
