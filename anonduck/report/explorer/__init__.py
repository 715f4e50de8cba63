"""A page on which a data owner tries rules: sliders for levels, k and suppression, and what they come to at once.

It is served on this machine alone, to whoever knows its address. It shows measures and counts of records, never a
record and never a value.
"""
