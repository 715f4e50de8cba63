"""What is measured of a rule: k, information, utility, and whether it meets what is required."""
