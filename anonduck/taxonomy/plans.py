"""How the taxonomy of each column is to come about, what identifies the result, and which are missing or outdated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonduck.config.builders import BUILDERS
from anonduck.database.connection import Database
from anonduck.database.fingerprints import fingerprint_key, text_fingerprint
from anonduck.errors import TaxonomyError
from anonduck.statements import statement
from anonduck.statements.column_types import has_order
from anonduck.taxonomy.catalog import CatalogEntry, as_json, build_command, entries, was_edited
from anonduck.words import did_you_mean

if TYPE_CHECKING:
    from anonduck.config.config import Config
    from anonduck.config.taxonomy import TaxonomyOptions

GROUP_SIZE = 5
RESULTS = ("settled",)
FOLLOWING = ("file", "shipped", "listed", "computed")
KEYED = "hmac-sha256:"
PLAIN = "sha256:"
_KEY_OF = "anonduck.lock.yml"


def taxonomy_fingerprint(database: Database, column: str) -> str:
    """The fingerprint of the taxonomy of a column."""
    entry = entries(database)[column]
    if follows(database, entry):
        options = {name: value for name, value in json.loads(entry.options).items() if name != "file"}
        return PLAIN + hashlib.sha256(as_json({**options, "root": entry.taxonomy.root}).encode()).hexdigest()
    content = database.value(statement("taxonomy/content.sql", table={"taxonomy": ("taxonomy", column)}))
    return KEYED + text_fingerprint(fingerprint_key(database), content)


def file_fingerprint(path: Path) -> str:
    """The fingerprint of a taxonomy file; raises OSError."""
    return PLAIN + hashlib.sha256(path.read_bytes()).hexdigest()


def follows(database: Database, entry: CatalogEntry) -> bool:
    """Whether a taxonomy follows from what stands in the config and in files, so that it is the same elsewhere."""
    known = not is_import(entry) and json.loads(entry.options)["kind"] in FOLLOWING
    return known and not was_edited(database, entry)


def key_name(database: Database) -> str:
    """A name for the key of this decision database, from which the key does not follow."""
    return text_fingerprint(fingerprint_key(database), _KEY_OF)[:16]


@dataclass(frozen=True)
class TaxonomyPlan:
    """The plan of one column's taxonomy: its builder, the options that identify the result, and the folder of files.

    ``named_before``: the owner's names were written for the groups of a smaller k.
    """

    config: TaxonomyOptions
    options: Mapping[str, Any]
    folder: Path
    named_before: bool = False

    @property
    def kind(self) -> str:
        """What makes it: intervals, clusters, computed, listed, shipped or file."""
        return str(self.options["kind"])

    def made(self, entry: CatalogEntry) -> bool:
        """Whether a stored taxonomy was made by this plan."""
        return planned_options(entry) == dict(json.loads(as_json(self.options)))


def planned_options(entry: CatalogEntry) -> dict[str, Any]:
    """The options that a stored taxonomy was planned with, without the ones that its values decided."""
    return {name: value for name, value in json.loads(entry.options).items() if name not in RESULTS}


def is_import(entry: CatalogEntry) -> bool:
    """Whether a taxonomy was imported on the command line."""
    return "kind" not in json.loads(entry.options)


def given_options(entry: CatalogEntry | None) -> TaxonomyOptions | None:
    """The builder that a stored taxonomy was given on the command line, or None."""
    given = None if entry is None else json.loads(entry.options).get("given")
    if given is None:
        return None
    from anonduck.config.taxonomy import TaxonomyOptions

    return TaxonomyOptions.model_validate(given)


def make_plan(
    config: Config,
    folder: Path,
    column: str,
    types: Mapping[str, str],
    label_k: int,
    *,
    given: TaxonomyOptions | None = None,
    stored: CatalogEntry | None = None,
) -> TaxonomyPlan:
    """The plan of one column: by the options ``given`` now, else by the config, by options given earlier, by default.

    Raises TaxonomyError for a column that is no quasi-identifier, and for options that the config contradicts.
    """
    if column not in types:
        raise TaxonomyError(
            f"the frequency set has no column {column} to make a taxonomy of{did_you_mean(column, types)}; it has "
            f"{', '.join(types) or 'none'}"
        )
    if given is not None and column in config.taxonomies:
        raise TaxonomyError(
            f"the config says how to build the taxonomy of {column}, and later commands follow it; change it there, "
            "or take the column out of `taxonomies:`"
        )
    asked = given or (given_options(stored) if column not in config.taxonomies else None)
    chosen = asked or config.taxonomies.get(column) or _default(types[column], config.order.get(column))
    options = _options(config, folder, column, chosen, types, label_k)
    names = config.labels.get(column)
    if names is not None:
        _check_named(column, options, stored)
        options["labels"] = dict(names)
    before = names is not None and stored is not None and _named_for_less(stored, options)
    return TaxonomyPlan(chosen, {**options, "given": as_given(chosen)} if asked else options, folder, before)


def _check_named(column: str, options: Mapping[str, Any], stored: CatalogEntry | None) -> None:
    """Raise TaxonomyError for a column whose groups anonduck does not name."""
    imported = stored is not None and is_import(stored) and options["kind"] != "file"
    if options["kind"] == "clusters" and not imported:
        return
    kinds = {"intervals": "intervals say their bounds", "computed": "computed labels are parts of values"}
    why = "its labels stand where its groups are listed" if imported else kinds.get(options["kind"], "")
    raise TaxonomyError(
        f"labels.{column}: only groups of `clusters` can be named, and {column!r} has none: "
        f"{why or 'its labels stand where its groups are listed'}. Take it out of `labels`"
    )


def _named_for_less(stored: CatalogEntry, options: Mapping[str, Any]) -> bool:
    """Whether a stored taxonomy has the same names, found among the groups of a smaller k."""
    was = planned_options(stored)
    same = was.get("labels") == json.loads(as_json(options))["labels"]
    return bool(same and was["label_k"] < options["label_k"])


def as_given(chosen: TaxonomyOptions) -> dict[str, Any]:
    """Options as a mapping of the keys that are set."""
    return chosen.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def _default(column_type: str, order: list[str] | None) -> TaxonomyOptions:
    """The builders of the paper: intervals for ordered values, by a declared order too, else clusters."""
    from anonduck.config.taxonomy import TaxonomyOptions

    if order is not None:
        return TaxonomyOptions(order=order)
    return TaxonomyOptions(intervals=GROUP_SIZE) if has_order(column_type) else TaxonomyOptions(clusters=True)


def _options(
    config: Config, folder: Path, column: str, chosen: TaxonomyOptions, types: Mapping[str, str], label_k: int
) -> dict[str, Any]:
    name, builder = chosen.builder, BUILDERS[chosen.builder]
    named: dict[str, Any] = {"type": types[column]}
    if builder.kind == "file":
        read = chosen.model_dump(include={"file", "block", "sep", "header", "encoding"})
        return {"kind": "file", **named, **read, "sha256": _sha256(folder, chosen)}
    if builder.by_values:
        named["label_k"] = label_k
    if "prune" in builder.options:
        named["prune"] = chosen.prune
    if builder.kind == "clusters":
        return {"kind": "clusters", **named, "on": describing(config, column, chosen, types)}
    if name == "intervals" and chosen.top is None and chosen.bottom is None:
        return {"kind": "intervals", **named, "size": chosen.intervals}
    how = as_given(chosen.model_copy(update={"prune": False}))
    return {"kind": builder.kind, **named, "how": how}


def describing(config: Config, column: str, chosen: TaxonomyOptions, types: Mapping[str, str]) -> dict[str, str]:
    """The columns that describe a clustered one, with their types: those asked for, or the other quasi-identifiers."""
    if chosen.cluster_on is not None:
        wanted = chosen.cluster_on
    elif config.quasi_identifiers is not None:
        wanted = config.quasi_identifiers
    else:
        roles = config.named_roles().values()
        wanted = [name for name in types if not any(name in role for role in roles)]
    missing = [name for name in wanted if name not in types]
    if missing and chosen.cluster_on is not None:
        raise TaxonomyError(
            f"cluster_on of {column} names {', '.join(missing)}; allowed are quasi-identifiers and the class: "
            f"{', '.join(name for name in types if name != column)}"
        )
    return {name: types[name] for name in wanted if name in types and name != column}


def _sha256(folder: Path, chosen: TaxonomyOptions) -> str | None:
    """The fingerprint of a taxonomy file, so that a changed file is read again; None if it cannot be read now."""
    try:
        return hashlib.sha256((folder / Path(str(chosen.file)).expanduser()).read_bytes()).hexdigest()
    except OSError:
        return None


def outdated_taxonomies(
    database: Database,
    config: Config,
    folder: Path,
    columns: Sequence[str],
    *,
    types: Mapping[str, str],
    label_k: int,
) -> dict[str, str]:
    """The planned kind of each taxonomy that is missing or outdated, by column; see ``ensure_taxonomies``."""
    return {
        column: plan.kind
        for column, entry, plan in _plans(database, config, folder, columns, types, label_k)
        if entry is None or is_outdated(database, entry, plan)
    }


def regrouped_taxonomies(
    database: Database,
    config: Config,
    folder: Path,
    columns: Sequence[str],
    *,
    types: Mapping[str, str],
    label_k: int,
    typed: bool = True,
) -> list[str]:
    """The columns whose taxonomy is missing, or would now be made differently in more than its labels.

    Without ``typed``, types are ignored: another export may be read with other types.
    """
    return [
        column
        for column, entry, plan in _plans(database, config, folder, columns, types, label_k)
        if entry is None or _is_regrouped(database, entry, plan, typed)
    ]


def planned_groups(
    database: Database, config: Config, folder: Path, columns: Sequence[str], *, types: Mapping[str, str]
) -> dict[str, list[Any]]:
    """By column, the kind and the options of its planned taxonomy, without the k of labels."""
    return {
        column: [plan.kind, _of_groups(json.loads(as_json(plan.options)))]
        for column, _, plan in _plans(database, config, folder, columns, types, 1)
    }


def _plans(
    database: Database, config: Config, folder: Path, columns: Sequence[str], types: Mapping[str, str], label_k: int
) -> Iterator[tuple[str, CatalogEntry | None, TaxonomyPlan]]:
    """Each column with its stored taxonomy, if there is one, and its plan."""
    stored = entries(database)
    for column in columns:
        entry = stored.get(column)
        yield column, entry, make_plan(config, folder, column, types, label_k, stored=entry)


def _is_regrouped(database: Database, entry: CatalogEntry, plan: TaxonomyPlan, typed: bool) -> bool:
    """Whether a stored taxonomy differs from what is planned in more than labels; the k of labels groups intervals."""
    if plan.made(entry) or (is_import(entry) and plan.kind != "file"):
        return False
    was, now = planned_options(entry), json.loads(as_json(plan.options))
    if plan.kind != "intervals" or was_edited(database, entry):
        was, now = _of_groups(was), _of_groups(now)
    return was != now if typed else _but_types(was) != _but_types(now)


def _but_types(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without the types of columns."""
    return {name: sorted(value) if name == "on" else value for name, value in options.items() if name != "type"}


def is_outdated(database: Database, entry: CatalogEntry, plan: TaxonomyPlan, given: bool = False) -> bool:
    """Whether a stored taxonomy is to be made anew; raises TaxonomyError if that would undo an edit or an import."""
    column = entry.taxonomy.column
    if plan.made(entry) or (is_import(entry) and plan.kind != "file" and not given):
        return False
    if is_import(entry) and given:
        raise TaxonomyError(
            f"the taxonomy of {column} was imported; `{build_command(column)}` with the same options replaces it"
        )
    if was_edited(database, entry):
        if _but_label_k(planned_options(entry)) == _but_label_k(json.loads(as_json(plan.options))):
            return False
        raise TaxonomyError(
            f"the options of the taxonomy of {column} changed, but its table was edited since it was built, and a new "
            f"one would replace the edited table. To replace it: `{build_command(column)}`; to keep "
            "it, export it and name the file in the config (`file:`)"
        )
    return True


def _but_label_k(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options without the k of labels: in an edited table the labels are the owner's."""
    return {name: value for name, value in options.items() if name != "label_k"}


def _of_groups(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that decide which values are grouped, and not what groups are called."""
    return {name: value for name, value in options.items() if name not in ("label_k", "labels")}
