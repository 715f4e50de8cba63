"""A page on which a data owner tries rules: sliders for levels, k and suppression, with immediate results.

It is served on this machine only, to whoever has its address. It shows measures and counts, never a record or a value.
"""
