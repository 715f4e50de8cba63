"""What to type: an example or several of each command, which stand at the end of its help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

EXAMPLES: Mapping[str, Sequence[str]] = {
    "demo": ("anonduck demo", "anonduck demo somewhere --overwrite"),
    "init": (
        "anonduck init people.parquet --class churned",
        "anonduck init people.csv --class churned --csv encoding=latin-1",
        "anonduck init shop.duckdb::sales.customers --class churned -q income",
    ),
    "advise": ("anonduck advise", "anonduck advise -p customers/ --json"),
    "quasi-identifiers": ("anonduck quasi-identifiers", "anonduck quasi-identifiers --share 0.9"),
    "taxonomy build": (
        "anonduck taxonomy build",
        "anonduck taxonomy build age --option width=10 --replace",
        "anonduck taxonomy build town --cluster-on income --replace",
    ),
    "taxonomy import": (
        "anonduck taxonomy import jobs.csv --column job",
        "anonduck taxonomy import zip.csv --column zip --sep ';' --encoding latin-1",
    ),
    "taxonomy export": (
        "anonduck taxonomy export job -o job.csv",
        "anonduck taxonomy export job --format dbt -o seeds/job.csv",
    ),
    "taxonomy show": ("anonduck taxonomy show age", "anonduck taxonomy show age --level 2"),
    "taxonomy check": ("anonduck taxonomy check", "anonduck taxonomy check job --show-values"),
    "taxonomy list": ("anonduck taxonomy list",),
    "taxonomy mapping": (
        "anonduck taxonomy mapping R12 -o mapping.csv",
        "anonduck taxonomy mapping age=3,sex=0 -o mapping.parquet",
    ),
    "discover": (
        "anonduck discover",
        "anonduck discover --search lattice --select loss",
        "anonduck discover --keep age=2 --model tree --model forest",
    ),
    "rules": ("anonduck rules", "anonduck rules R12", "anonduck rules --json"),
    "frontier": (
        "anonduck frontier",
        "anonduck frontier --objective k --objective loss --plot",
        "anonduck frontier --expected",
    ),
    "report": ("anonduck report -o decision.html", "anonduck report -o certificate.html --release out.parquet"),
    "release": (
        "anonduck release R12 -o out.parquet",
        "anonduck release 'age=3,\"home town\"=1' -o out.csv --require k=10",
        "anonduck release R12 --dry-run",
    ),
    "anonymize": (
        "anonduck anonymize --list",
        "anonduck anonymize mondrian -k 10 -o out.parquet",
        "anonduck anonymize mondrian --set strict=false -o out.parquet",
    ),
    "usefulness": ("anonduck usefulness",),
    "compare": (
        "anonduck compare --method mondrian -k 5 -k 10 -o compared",
        "anonduck compare --method rules -k 5 --protocol held-out",
    ),
    "sql": ("anonduck sql R12", "anonduck sql R12 --dialect bigquery -o release.sql"),
    "audit": (
        "anonduck audit out.parquet --class churned --require k=5",
        "anonduck audit out.csv --sensitive diagnosis --require l=2 --format junit",
        "anonduck audit out.parquet -p anonduck.yml --require k=5",
    ),
    "attack": (
        "anonduck attack out.parquet --original people.parquet --class churned",
        "anonduck attack out.parquet --original in.parquet --control others.parquet",
        "anonduck attack out.parquet --original people.parquet -p . --roles",
        "anonduck attack out.parquet --original in.csv --sensitive job --minimality",
    ),
    "reconstruct": ("anonduck reconstruct out.parquet -n 5 -o tables",),
    "run": (
        "anonduck run -o out.parquet --overwrite",
        "anonduck run -o shop.duckdb::released --reselect --json",
    ),
    "purge": ("anonduck purge", "anonduck purge -p customers/"),
    "explore": ("anonduck explore", "anonduck explore --port 8765 --no-browser"),
    "lock": ("anonduck lock R12", "anonduck lock --check"),
    "dbt-package": ("anonduck dbt-package", "anonduck dbt-package packages/anonduck"),
    "schema": ("anonduck schema > anonduck.schema.json",),
}
"""By the words of a command, lines of a shell."""


def examples_of(words: str) -> str:
    """The part of a command's help that shows what to type; empty for a command without examples.

    >>> print(examples_of("usefulness"))
    Examples:
      anonduck usefulness
    """
    lines = EXAMPLES.get(words, ())
    return "\n".join(["Examples:", *(f"  {line}" for line in lines)]) if lines else ""
