# SPDX-License-Identifier: Apache-2.0
"""Tables of HTML, as notebooks show objects."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape


def table(rows: Mapping[str, str]) -> str:
    """Return a table with one line for each name and its value."""
    lines = (f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(value)}</td></tr>"
             for name, value in rows.items())
    return "<table>" + "".join(lines) + "</table>"
