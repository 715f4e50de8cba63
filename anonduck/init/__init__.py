"""`anonduck init`, which profiles an export and proposes a config, and `anonduck purge`, which removes what is left."""
