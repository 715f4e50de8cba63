"""Rules of RFDs on the three data sets of Caruccio et al. 2022, for docs/papers/rfd.md, docs/search.md and others."""
