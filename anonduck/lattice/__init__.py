"""Optimal search over the lattice of all level vectors: the best rule by a measure, and the exact frontier."""
