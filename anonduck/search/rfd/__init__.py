"""The search by roll-up dependencies (Caruccio et al. 2022): plain functions that know no database."""
