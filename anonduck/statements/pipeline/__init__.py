"""Builders of the statements on the way from the source to a release; audits and attacks ask none of them."""
