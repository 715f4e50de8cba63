"""Persons whose class follows from their age and job, as a source of releases by methods."""

import numpy as np
import pandas as pd


def persons(records=400, seed=1):
    random = np.random.default_rng(seed)
    age, job = random.integers(20, 60, records), random.integers(0, 6, records)
    bought = (age + 10 * (job % 2) + random.normal(0, 8, records)) > 45
    return pd.DataFrame({"age": age, "job": job, "bought": np.where(bought, "yes", "no"), "day": np.arange(records)})


def settled(**more):
    return {"source": persons(), "class_": "bought", "insensitive": ["day"], "requirement": {"k": 5}, **more}
