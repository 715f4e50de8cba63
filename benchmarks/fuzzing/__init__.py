"""Random tables, the ways to release them, and checks that count without anonduck."""
