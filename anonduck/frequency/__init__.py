"""The frequency set: one scan of the source, after which every question is asked of its distinct combinations."""
