"""The algorithms of methods by name. They load numpy, which descriptions of methods do without."""

from __future__ import annotations

from collections.abc import Mapping

from anonduck.methods.flexible import flexible
from anonduck.methods.full_domain import datafly, incognito, ola
from anonduck.methods.guided import guided
from anonduck.methods.method import Algorithm
from anonduck.methods.mondrian import mondrian
from anonduck.methods.nsvdist import nsvdist
from anonduck.methods.probabilistic import probabilistic
from anonduck.methods.sequential import sequential
from anonduck.methods.specialization import pais, tds
from anonduck.methods.topdown import topdown

ALGORITHMS: Mapping[str, Algorithm] = {
    "mondrian": mondrian,
    "tds": tds,
    "pais": pais,
    "datafly": datafly,
    "ola": ola,
    "incognito": incognito,
    "sequential": sequential,
    "topdown": topdown,
    "guided": guided,
    "flexible": flexible,
    "nsvdist": nsvdist,
    "probabilistic": probabilistic,
}
