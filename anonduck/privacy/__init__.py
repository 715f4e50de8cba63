"""Privacy models and risks: what each is called, how it is measured in SQL, and what can be required of a release.

Nothing here knows how a release was made: the relations that are read come from a released file alone.
"""
