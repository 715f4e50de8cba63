"""The methods that anonymize record by record: what each is, and its algorithm on coded records alone."""
