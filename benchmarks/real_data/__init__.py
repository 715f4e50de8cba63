"""The framework of Caruccio et al. 2022 on the paper's three data sets and on four small ones: docs/real-data.md."""
