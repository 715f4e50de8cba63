"""What each kind of recoding protects, and how it can be attacked: said wherever a release by it is offered or made."""

from __future__ import annotations

from collections.abc import Mapping

PROTECTS: Mapping[str, str] = {
    "levels": "each column is shown at one level in all records, and each group of equal records has k or more",
    "cuts": "each value of a column has a level of its own, the same in all records, and each group has k or more",
    "classes": "each group has k or more records, and shows as much detail as its own records allow",
    "distributions": "each record fits k or more original ones, and shows how often these have each value of the "
    "class; there are no groups of k records",
    "swapped": "values stand beside those of k or more similar records, from which each may have come",
}
ATTACKS: Mapping[str, str] = {
    "levels": "a group whose records share a class or a sensitive value tells it; a second release of the same records "
    "by another rule can be intersected with this one",
    "cuts": "as for a rule; and as the cuts were chosen by the class, where they are tells of it",
    "classes": "as for a rule; labels are the smallest that fit, so that values at their ends can be guessed "
    "(downcoding), and more detail makes linking easier",
    "distributions": "somebody who knows all original records can rule out most of those that a record fits, often all "
    "but one; and a distribution of one value tells it",
    "swapped": "each value is a true value of somebody, so that rare ones show who is in the data; where similar "
    "records share a value, swapping hides nothing",
}
"""By the kind of a recoding; docs/anonymize.md and docs/attacks.md tell more."""
COUNTED = frozenset({"k", "suppression"})
"""What can be required without reading a sensitive value."""
MINIMALITY = (
    "sensitive values decided where the classes end, so that whoever knows the method can work out some of what the "
    "requirement on them hides (minimality); `attack(RELEASE, ORIGINAL, minimality=True)` measures it"
)
