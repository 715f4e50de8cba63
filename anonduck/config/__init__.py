"""The config: every key of anonduck.yml, how it is read, and what each may be."""
