# SPDX-License-Identifier: Apache-2.0
"""Tables of HTML, as notebooks show objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape


def table(rows: Mapping[str, str]) -> str:
    """Return a table with one line for each name and its value."""
    lines = (f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(value)}</td></tr>"
             for name, value in rows.items())
    return "<table>" + "".join(lines) + "</table>"


def rows_table(rows: Sequence[Mapping[str, object]], names: Sequence[str]) -> str:
    """Return a table with a line for each row, of these columns."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = ("".join(f"<td>{escape(_text(row.get(name, '')))}</td>" for name in names) for row in rows)
    return f"<table><tr>{head}</tr>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _text(value: object) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
