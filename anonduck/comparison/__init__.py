"""Which way of anonymizing keeps most, at which k: several compared by one protocol, on the same folds."""
