"""What Table 7 of the paper says of each attribute: its type, its domain's size, the levels of its taxonomy."""

from __future__ import annotations

from collections.abc import Mapping

Told = Mapping[str, tuple[str, int, int]]

ELECTRICITY: Told = {
    "date": ("numeric", 934, 5),
    "day": ("numeric", 8, 3),
    "period": ("numeric", 47, 4),
    "nswprice": ("numeric", 4088, 7),
    "nswdemand": ("numeric", 5275, 6),
    "vicprice": ("numeric", 6203, 10),
    "vicdemand": ("numeric", 2845, 6),
    "transfer": ("numeric", 1877, 10),
}
ADULT: Told = {
    "age": ("numeric", 73, 6),
    "workclass": ("nominal", 7, 2),
    "fnlwgt": ("numeric", 26740, 6),
    "education": ("nominal", 16, 3),
    "education-num": ("numeric", 16, 4),
    "marital-status": ("nominal", 7, 4),
    "occupation": ("nominal", 14, 3),
    "relationship": ("nominal", 6, 2),
    "race": ("nominal", 5, 3),
    "sex": ("nominal", 2, 2),
    "capital-gain": ("numeric", 120, 6),
    "capital-loss": ("numeric", 96, 4),
    "hours-per-week": ("numeric", 95, 4),
    "native-country": ("nominal", 40, 4),
}
BANK: Told = {
    "age": ("numeric", 77, 6),
    "job": ("nominal", 12, 4),
    "marital": ("nominal", 3, 3),
    "education": ("nominal", 4, 2),
    "default": ("nominal", 2, 2),
    "balance": ("numeric", 7168, 8),
    "housing": ("nominal", 2, 2),
    "loan": ("nominal", 2, 2),
    "contact": ("nominal", 3, 2),
    "day": ("numeric", 31, 4),
    "month": ("nominal", 12, 4),
    "duration": ("numeric", 1573, 7),
    "campaign": ("numeric", 48, 4),
    "pdays": ("numeric", 559, 8),
    "previous": ("numeric", 41, 2),
    "poutcome": ("nominal", 4, 3),
}
TABLE_7: Mapping[str, Told] = {"adult": ADULT, "bank": BANK, "electricity": ELECTRICITY}
