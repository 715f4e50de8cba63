"""The source: an export as one relation, whatever its files are, and the roles of its columns."""
