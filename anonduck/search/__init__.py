"""From the frequency set to rules: the discovery in order, what it stores, and what its rules are expected to reach."""
