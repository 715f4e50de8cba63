"""Attacks on a release: the three questions of the WP29 Opinion 05/2014, each asked of the written file.

Singling out, linkability and inference are tried on records that are in the release and on a control group that is
not; the difference is what the release adds to what a population teaches anyway. docs/attacks.md tells what each finds
and does not.
"""
