"""The decision report, on which a data owner decides, and the certificate of the release that was made.

Both are self-contained HTML. They hold aggregates and labels that at least k records share, never a record and never a
leaf value.
"""
