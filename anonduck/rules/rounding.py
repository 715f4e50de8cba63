"""How measures are rounded: to so many digits after the point that sums in another order come to the same number."""

DIGITS = 12
