"""Excel files for tests: a CSV stands for what DuckDB's extension reads, as that cannot be installed everywhere."""

import zipfile

from anonduck.statements import Statement, builder_database, relations


def workbook(path, sheets=1):
    """Write what is known as an Excel file by its list of sheets."""
    named = "".join(f'<sheet name="{n}"/>' for n in range(sheets))
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("xl/workbook.xml", f'<workbook xmlns="urn:x"><sheets>{named}</sheets></workbook>')
    return path.name


def stand_in(monkeypatch, path, text, numbers):
    """Write an Excel file whose sheet is the CSV ``text``; the columns ``numbers`` are DOUBLE, as all numbers of Excel
    are. Returns the list of readings that will be asked for."""
    monkeypatch.setattr(builder_database, "LOAD_EXCEL", Statement("present", "SELECT 1"))
    workbook(path)
    sheet = path.with_name("sheet of excel.csv")
    sheet.write_text(text)
    reader, asked = relations.reader, []

    def read(function, file, options):
        if function != "read_xlsx":
            return reader(function, file, options)
        asked.append((file, options.pop("stop_at_empty")))
        kinds = {} if options.get("all_varchar") else {"types": dict.fromkeys(numbers, "DOUBLE")}
        return reader("read_csv", str(sheet), options | kinds)

    monkeypatch.setattr(relations, "reader", read)
    return asked
