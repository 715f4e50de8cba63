"""The audit: the measures of a release, derived from the written file alone."""
