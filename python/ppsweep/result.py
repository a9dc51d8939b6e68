# SPDX-License-Identifier: Apache-2.0
"""Results of runs as pandas DataFrame or as arrays."""

import ctypes
import os

import numpy as np

from ._library import ErrorStruct, check, lib, text_of

_REAL, _INTEGER, _BOOLEAN, _TEXT, _MIXED = range(5)


def read(path, columns=None, *, as_arrays=False):
    """Read a result.

    Parameters
    ----------
    path : str or path
        NAME.csv.gz, NAME.csv, or the finished part of an interrupted run (NAME.csv.gz.part).
    columns : sequence of str, optional
        The columns to read; None: all columns.
    as_arrays : bool
        Return a dict of arrays also if pandas is installed.

    Returns
    -------
    pandas.DataFrame or dict of numpy.ndarray
        Whole numbers are int64, other numbers float64 with NaN for empty cells, true and false are
        bool. Texts are a pandas category with NaN for empty cells; an array of str with "" for
        empty cells. A column of numbers and texts (the weights and tiers of an untyped result) has
        the type object and contains float and str.

        ``frame.attrs["units"]`` contains the units of the columns that have one.

    Raises
    ------
    Error
        The file is damaged or truncated, or has no column of this name.

    Examples
    --------
    >>> read("result.csv.gz").groupby("n")["total_time"].min()
    """
    pandas = None if as_arrays else _pandas()
    names = None
    if columns is not None:
        wanted = [columns] if isinstance(columns, str) else list(columns)
        names = (ctypes.c_char_p * (len(wanted) + 1))(*(name.encode() for name in wanted), None)
    table, error = ctypes.c_void_p(), ErrorStruct()
    check(lib.table_read(table, os.fsencode(path), names, error), error)
    try:
        n = lib.table_rows(table)
        found = [lib.table_column(table, c).contents for c in range(lib.table_columns(table))]
        arrays = {text_of(one.name): _array(one, n, pandas) for one in found}
        units = {text_of(one.name): text_of(one.unit) for one in found if one.unit}
    finally:
        lib.table_close(table)
    if pandas is None:
        return arrays
    frame = pandas.DataFrame(arrays)
    frame.attrs["units"] = units
    return frame


def _pandas():
    """Return the module pandas, or None if it is not installed."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def _array(column, n, pandas):
    """Return a copy of the cells, which no longer needs the table."""
    if n == 0:
        numbers, codes = np.empty(0), np.empty(0, np.int32)
    else:
        numbers = np.ctypeslib.as_array(column.numbers, (n,))
        codes = np.ctypeslib.as_array(column.codes, (n,)) if column.codes else None
    if column.kind == _INTEGER:
        return numbers.astype(np.int64)
    if column.kind == _BOOLEAN:
        return numbers != 0
    if column.kind == _REAL:
        return numbers.copy()
    texts = [text_of(column.texts[i]) for i in range(column.n_texts)]
    if column.kind == _MIXED:
        cells = numbers.astype(object)
        words = np.array([*texts, None], dtype=object)
        cells[codes >= 0] = words[codes[codes >= 0]]
        return cells
    if pandas is not None:
        return pandas.Categorical.from_codes(codes, texts)
    return np.array([*texts, ""])[codes]  # -1: the last
