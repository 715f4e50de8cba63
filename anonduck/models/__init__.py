"""Models measured by cross-validation on counts; nothing here knows a database."""
