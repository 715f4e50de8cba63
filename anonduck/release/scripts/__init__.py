"""A release as a text that an engine runs without anonduck: what its SELECT shows, joins, checks and stops at."""
