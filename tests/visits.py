"""Visits to a hospital, of which a config is proposed, and notes that hold e-mail addresses."""

import numpy as np
import pandas as pd

NOTES = [f"call z{n}@mail.org" if n % 5 == 0 else "slept well, eats well" for n in range(80)]


def visits(rows=80, **more):
    draw = np.random.default_rng(3)
    age = draw.integers(20, 60, rows)
    known = {"visit_id": np.arange(rows) + 1000, "age": age, "stay_days": draw.integers(1, 9, rows)}
    return pd.DataFrame({**known, "again": np.where(age > 40, "y", "n"), **more})
