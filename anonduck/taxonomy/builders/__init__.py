"""Taxonomies made: of values, of their text, of lists, and of what ships with anonduck."""
