"""Compares columnar exports of stores with exports as JSON, value by value, as pyarrow and DuckDB read the files.

Usage: parquet_stores.py MOMTOOL STORE...
"""

import base64
import datetime
import decimal
import json
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

decimal.getcontext().prec = 60
ISO = "%Y-%m-%dT%H:%M:%S"
# The start of 2001, from which Core Data counts, in seconds since 1970.
REFERENCE_DATE = 978307200


def seconds(text):
    """A date of the JSON export in exact seconds since 1970."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    sign = -1 if whole.startswith("-") else 1
    year, rest = whole.lstrip("-").split("-", 1)
    # Python's years end with 9999; those of a calendar repeat after 400.
    cycles, year = divmod(sign * int(year) - 1, 400)
    date = datetime.datetime.strptime(f"{year + 1:04}-{rest}", ISO)
    base = datetime.datetime(1970, 1, 1)
    days = (date - base).days + cycles * 146097
    return days * 86400 + (date - base).seconds + decimal.Decimal("0." + (fraction or "0"))


def number(value):
    return {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.get(value, value)


def agrees(kind, declared, value, wanted, unit):
    """Whether a value of a column is that of the JSON export."""
    if value is None or wanted is None:
        return value is None and wanted is None
    if kind == "JSON":
        return json.loads(value, parse_float=decimal.Decimal) == wanted
    if kind.startswith("TIMESTAMP"):
        # JSON has the fewest digits that give the stored double, a column its nearest unit: where a unit is less than
        # the distance between doubles, both give the same double.
        read, listed = decimal.Decimal(value) / unit - REFERENCE_DATE, seconds(wanted) - REFERENCE_DATE
        return abs(read - listed) * 2 * unit <= 1 or float(read) == float(listed)
    if kind == "DOUBLE" and declared == "Date":
        return abs(decimal.Decimal(value) + REFERENCE_DATE - seconds(wanted)) < decimal.Decimal("1e-3")
    if kind in ("FLOAT", "DOUBLE"):
        return float(value) == float(number(wanted))
    if kind.startswith("DECIMAL"):
        return value == decimal.Decimal(wanted)
    if kind == "UUID":
        return bytes(value).hex() == wanted.replace("-", "").lower()
    if kind == "BYTE_ARRAY":
        return bytes(value) == base64.b64decode(wanted)
    return value == wanted


def arrow_rows(path):
    table = pq.ParquetFile(path, page_checksum_verification=True).read()
    columns = []
    for column in table.columns:
        kind = column.type
        if isinstance(kind, pa.BaseExtensionType):
            column = pa.chunked_array([c.storage for c in column.chunks], kind.storage_type)
        elif pa.types.is_timestamp(kind):
            column = column.cast(pa.int64())
        columns.append(column.to_pylist())
    return [list(row) for row in zip(*columns)]


def duckdb_rows(path, columns):
    duckdb.sql("SET TimeZone = 'UTC'")
    file = str(path).replace("'", "''")
    kinds = {name: kind for name, kind, *_ in duckdb.sql(f"DESCRIBE SELECT * FROM '{file}'").fetchall()}
    selected = []
    for column in columns:
        name = '"' + column["name"].replace('"', '""') + '"'
        kind = kinds[column["name"]]
        if kind.startswith("TIMESTAMP"):
            name = f"epoch_ns({name}::TIMESTAMP_NS)" if kind.endswith("_NS") else f"epoch_us({name})"
        elif kind == "JSON":
            name += "::VARCHAR"
        selected.append(name)
    rows = duckdb.sql(f"SELECT {', '.join(selected)} FROM '{file}'").fetchall()
    places = [i for i, column in enumerate(columns) if column["parquetType"] == "UUID"]
    rows = [list(row) for row in rows]
    for row in rows:
        for place in places:
            row[place] = row[place] and row[place].bytes
    return rows


def check_rows(entity, rows, wanted):
    """Problems of a file's rows beside the objects of the JSON export."""
    columns = entity["columns"]
    places = {column["name"]: place for place, column in enumerate(columns)}
    if len(rows) != len(wanted) or entity["rows"] != len(wanted):
        return f"{len(rows)} rows, {entity['rows']} in the manifest, not {len(wanted)}"
    properties = {c["name"] for c in columns[1:] if not c["coreDataType"].startswith("entity of ")}
    for row, object in zip(rows, wanted):
        name = f"{entity['name']}/p{row[0]}"
        if object["@object"] != name:
            return f"{name}, not {object['@object']}"
        missing = set(object) - {"@object"} - properties - set(entity["leftOut"])
        if missing:
            return f"no columns for {missing}"
        for column in columns[1:]:
            declared, kind, value = column["coreDataType"], column["parquetType"], row[places[column["name"]]]
            if declared.startswith("entity of "):
                continue
            if declared in ("To-One", "To-Many") and kind != "JSON":
                beside = next((c["name"] for c in columns if c["coreDataType"] == f"entity of {column['name']}"), None)
                names = row[places[beside]] if beside else None
                default = (column["destinations"] or [None])[0]
                if declared == "To-Many":
                    shown = [f"{n or default}/p{k}" for k, n in zip(value, names or [None] * len(value))]
                else:
                    shown = value if value is None else f"{names or default}/p{value}"
                if shown != object[column["name"]]:
                    return f"{name}.{column['name']}: {shown}, not {object[column['name']]}"
                continue
            unit = 10**9 if "NANOS" in kind else 10**6
            if not agrees(kind, declared, value, object[column["name"]], unit):
                return f"{name}.{column['name']} ({kind}): {value!r}, not {object[column['name']]!r}"
    return None


def run(momtool, *arguments):
    return subprocess.run([momtool, "store", "export", *arguments], capture_output=True)


def check(momtool, store, folder, options):
    listed = run(momtool, store, "--format", "json")
    if listed.returncode:
        print(f"{store}: not exported: {listed.stderr.decode().strip().splitlines()[-1]}")
        return None
    wanted = json.loads(listed.stdout, parse_float=decimal.Decimal)["entities"]
    made = run(momtool, store, "--format", "parquet", "--output", folder, *options)
    if made.returncode:
        return [made.stderr.decode()]
    manifest = json.loads((pathlib.Path(folder) / "manifest.json").read_text())
    problems = []
    if sorted(e["name"] for e in manifest["entities"]) != sorted(wanted):
        problems.append("other entities")
    for entity in manifest["entities"]:
        path = pathlib.Path(folder) / entity["file"]
        for reader, rows in (("pyarrow", arrow_rows(path)), ("DuckDB", duckdb_rows(path, entity["columns"]))):
            problem = check_rows(entity, rows, wanted[entity["name"]])
            if problem:
                problems.append(f"{reader}: {problem}")
    return problems, sum(e["rows"] for e in manifest["entities"])


def main():
    momtool, stores = sys.argv[1], sys.argv[2:]
    failed, checked, rows = 0, 0, 0
    for store in stores:
        for options in (["--to-many", "--dates", "nanos"], ["--compression", "none"]):
            with tempfile.TemporaryDirectory() as folder:
                result = check(momtool, store, folder, options)
            if result is None:
                break
            problems, count = result if isinstance(result, tuple) else (result, 0)
            checked, rows = checked + 1, rows + count
            for problem in problems:
                print(f"{store} {' '.join(options)}: {problem}")
            failed += bool(problems)
    print(f"{checked} exports of {len(stores)} stores, {rows} rows: {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
