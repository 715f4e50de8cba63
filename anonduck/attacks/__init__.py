"""Attacks on a written release: the three questions of the WP29 Opinion 05/2014.

Singling out, linkability and inference are tried on people who are in the release and on a control group of people who
are not. The difference is what the release reveals about its own people, beyond what it teaches about the population.
docs/attacks.md explains what each attack can and cannot find.
"""
