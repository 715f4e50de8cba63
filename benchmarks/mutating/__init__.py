"""What a mutation run is made of: which tests run a line, the mutants of a room, and one mutant's trial."""
