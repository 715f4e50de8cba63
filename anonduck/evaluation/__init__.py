"""Evaluation: what a recoding comes to on the counted records of a source."""
