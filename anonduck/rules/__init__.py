"""The noun that is searched for: a rule, its neighbours, and the frontier of rules."""
