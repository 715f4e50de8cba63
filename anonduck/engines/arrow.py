"""Arrow tables that engines return and receive: values without an Arrow type, portable texts, one zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anonduck.words import AtFirstUse

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.compute as pc
else:
    pa = AtFirstUse("pyarrow")
    pc = AtFirstUse("pyarrow.compute")

__all__ = ["pa", "pc", "plain_texts", "with_one_zero"]


def plain_texts(table: Any) -> Any:
    """An Arrow table with texts of the type that all engines read."""
    fields = [pa.field(field.name, _plain_type(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def with_one_zero(table: Any) -> Any:
    """An Arrow table of a source, with minus zero replaced by zero; engines group both and may return either."""
    zeros = [pc.add(one, pa.scalar(0, one.type)) if pa.types.is_floating(one.type) else one for one in table.columns]
    return pa.Table.from_arrays(zeros, names=table.column_names)


def _plain_type(kind: Any) -> Any:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) else kind
