"""Compares Parquet files of random tables with what they must hold, as RandomTable.swift wrote it beside them, read by
pyarrow and by DuckDB.

Usage: parquet_tables.py FOLDER
"""

import datetime
import decimal
import json
import pathlib
import struct
import sys
import uuid

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
decimal.getcontext().prec = 60


def plain(value, scale, by_arrow):
    """A reader's value in the form of RandomTable."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, list):
        return [plain(member, scale, by_arrow) for member in value]
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return "nan" if value != value else "%x" % struct.unpack("<Q", struct.pack("<d", value))
    if isinstance(value, decimal.Decimal):
        return str(int(value.scaleb(scale)))
    if isinstance(value, uuid.UUID):
        return value.bytes.hex()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    raise TypeError(f"{type(value)}")


def storage(column):
    """An Arrow column with timestamps as their integers and extension types as what they are stored as."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.chunked_array([chunk.storage for chunk in column.chunks], kind.storage_type)
    if pa.types.is_timestamp(kind):
        return column.cast(pa.int64())
    if pa.types.is_list(kind):
        inner = kind.value_type
        if isinstance(inner, pa.BaseExtensionType):
            return pa.chunked_array(
                [pa.ListArray.from_arrays(c.offsets, c.values.storage) for c in column.combine_chunks().chunks]
                if isinstance(column.combine_chunks(), pa.ChunkedArray)
                else [pa.ListArray.from_arrays(column.combine_chunks().offsets, column.combine_chunks().values.storage)],
                pa.list_(inner.storage_type))
        if pa.types.is_timestamp(inner):
            return column.cast(pa.list_(pa.int64()))
    return column


def scale_of(kind):
    if pa.types.is_list(kind):
        kind = kind.value_type
    return kind.scale if pa.types.is_decimal(kind) else 0


def by_arrow(path):
    file = pq.ParquetFile(path, page_checksum_verification=True)
    table = file.read()
    columns = [[plain(v, scale_of(c.type), True) for v in storage(c).to_pylist()] for c in table.columns]
    return table, [list(row) for row in zip(*columns)]


def by_duckdb(path, table):
    """Before its second version, DuckDB has no nanoseconds in UTC: they are then compared after division."""
    duckdb.sql("SET TimeZone = 'UTC'")
    selected, units = [], []
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
    for (name, kind, *_), field in zip(described, table.schema):
        quoted = '"' + name.replace('"', '""') + '"'
        inner = field.type.value_type if pa.types.is_list(field.type) else field.type
        unit = inner.unit if pa.types.is_timestamp(inner) else None
        has_nanoseconds = kind.removesuffix("[]").endswith("_NS")
        units.append("us" if has_nanoseconds else unit)
        if unit is None and kind.startswith("JSON"):
            quoted = f"{quoted}::VARCHAR{'[]' if kind.endswith('[]') else ''}"
        if unit is not None:
            number = "epoch_ns(x::TIMESTAMP_NS)" if has_nanoseconds else "epoch_us(x)"
            if kind.endswith("[]"):
                quoted = f"list_transform({quoted}, lambda x: {number})"
            else:
                quoted = number.replace("(x", "(" + quoted)
        selected.append(quoted)
    rows = duckdb.sql(f"SELECT {', '.join(selected)} FROM '{path}'").fetchall()
    return [[plain(v, scale_of(f.type), False) for v, f in zip(row, table.schema)] for row in rows], units


def in_micros(value):
    return [in_micros(v) for v in value] if isinstance(value, list) else value and str(int(value) // 1000)


def check(path):
    expected = [json.loads(line) for line in path.with_suffix(".jsonl").read_text().split("\n") if line]
    table, rows = by_arrow(path)
    if rows != expected:
        return f"{path}: pyarrow: {first(rows, expected)}"
    rows, units = by_duckdb(path, table)
    inner = [[in_micros(v) if unit == "ns" else v for v, unit in zip(row, units)] for row in expected]
    if rows != inner:
        return f"{path}: DuckDB: {first(rows, inner)}"
    return statistics(path, expected) or filters(path, expected, table)


def first(rows, expected):
    if len(rows) != len(expected):
        return f"{len(rows)} rows, not {len(expected)}"
    for number, (row, other) in enumerate(zip(rows, expected)):
        for column, (value, wanted) in enumerate(zip(row, other)):
            if value != wanted:
                return f"row {number}, column {column}: {value!r}, not {wanted!r}"


def statistics(path, expected):
    """The counts of rows and of missing values in the footer."""
    metadata = pq.ParquetFile(path).metadata
    if metadata.num_rows != len(expected):
        return f"{path}: the footer tells of {metadata.num_rows} rows"
    start = 0
    for group in range(metadata.num_row_groups):
        info = metadata.row_group(group)
        rows = expected[start:start + info.num_rows]
        start += info.num_rows
        for column in range(info.num_columns):
            chunk = info.column(column)
            values = [row[column] for row in rows]
            missing = sum(v is None or v == [] for v in values)
            if chunk.statistics.null_count != missing:
                return f"{path}: column {column}: {chunk.statistics.null_count} missing, not {missing}"
    return None


def filters(path, expected, table):
    """Rows found by conditions, which readers answer with the help of minima and maxima."""
    for column, field in enumerate(table.schema):
        if not (pa.types.is_integer(field.type) or pa.types.is_string(field.type)):
            continue
        name = '"' + field.name.replace('"', '""') + '"'
        values = [row[column] for row in expected if row[column] is not None]
        for value in values[:2] + values[-2:]:
            wanted = values.count(value)
            typed = value if pa.types.is_string(field.type) else int(value)
            found = duckdb.execute(f"SELECT count(*) FROM '{path}' WHERE {name} = ?", [typed]).fetchall()[0][0]
            if found != wanted:
                return f"{path}: DuckDB finds {found} rows with {value!r} in column {column}, not {wanted}"
            found = pq.read_table(path, filters=[(field.name, "==", typed)]).num_rows
            if found != wanted:
                return f"{path}: pyarrow finds {found} rows with {value!r} in column {column}, not {wanted}"
    return None


def main():
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.parquet"))
    problems = []
    for path in paths:
        try:
            problem = check(path)
        except Exception as error:  # A reader that refuses a file says why.
            problem = f"{path}: {type(error).__name__}: {error}"
        if problem:
            problems.append(problem)
            print(problem)
    print(f"{len(paths)} tables, {len(problems)} of them differ")
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
