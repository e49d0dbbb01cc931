#!/usr/bin/env python3
"""Runs the independent oracle momcheck.py over many files in one process.

Usage: momcheck_files.py TOOLS < tasks

A task is a line of tab-separated words: `lint FILE`, `order FILE` or `compare FILE FILE` (which may
differ in the compiler's stamp and in the archive's own form, but not in the model). For each task
that fails its line and the oracle's output are printed; the exit status is 1 when there is one.
"""
import contextlib
import io
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import momcheck  # noqa: E402


def outcome(command, files):
    if command == "lint":
        return momcheck.lint(*files)
    if command == "order":
        return momcheck.order(*files)
    # 2: the same model in another archive, as of an older vintage.
    return 0 if momcheck.compare(*files, True) in (0, 2) else 1


failures = 0
for line in sys.stdin:
    command, *files = line.rstrip("\n").split("\t")
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output):
            status = outcome(command, files)
    except Exception as error:  # The oracle could not read the file: that is a finding too.
        status, output = 1, io.StringIO(f"{type(error).__name__}: {error}")
    if status != 0:
        failures += 1
        print(line.strip())
        print("  " + output.getvalue().strip().replace("\n", "\n  ")[:2000])
sys.exit(1 if failures else 0)
