"""Whether taxonomies are trees over the values of the source."""
