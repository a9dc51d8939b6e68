"""Reads a result of ppsweep (NAME.csv.gz or NAME.csv) and its manifest with the standard library."""

import csv
import gzip
import heapq
import json
import math


class Result:
    """A result: path, manifest (dict), columns (names), and rows as an iterator of dicts."""

    def __init__(self, path):
        self.path = path
        self.manifest_path = path + ".json"
        with open(self.manifest_path, encoding="utf-8") as file:
            self.manifest = json.load(file)
        with self._open() as file:
            self.columns = next(csv.reader(file))

    def _open(self):
        opener = gzip.open if self.path.endswith(".gz") else open
        return opener(self.path, "rt", encoding="utf-8", newline="")

    def rows(self):
        """Yields every row as {column: value}: an int, a float, a text, or None for an empty cell."""
        with self._open() as file:
            reader = csv.reader(file)
            next(reader)
            for cells in reader:
                yield {name: value_of(cell) for name, cell in zip(self.columns, cells)}

    @property
    def is_partial(self):
        """Whether the rows are a part of the grid: a shard, or the first points of a limit."""
        return "shard" in self.manifest or self.manifest["points"] < self.manifest["grid_points"]

    def objective(self, name=None):
        """Returns (column, sign): the column to rank by, and 1 if smaller is better, else -1."""
        columns = self.manifest["columns"]
        column = columns[0] if name is None else next((c for c in columns if c["name"] == name), None)
        if column is None:
            raise ValueError(f"{self.path}: there is no column {name}")
        return column["name"], -1 if column.get("goal") == "higher" else 1

    def best(self, n, name=None):
        """Returns the n best rows, the best first; rows without a value are not among them."""
        column, sign = self.objective(name)
        good = ((sign * row[column], i, row) for i, row in enumerate(self.rows())
                if isinstance(row[column], (int, float)))
        return [row for _, _, row in heapq.nsmallest(n, good, key=lambda item: item[:2])]

    def settings(self):
        """Returns the experiment as one flat dict: what every row shares, and how it was made."""
        m = self.manifest
        settings = {"kernel": m["kernel"], "kernel_version": m["kernel_version"], "ppsweep": m["ppsweep"],
                    "digest": m["digest"], "grid_points": m["grid_points"], "rows": m["rows"],
                    "failed": m["failed"], "infeasible": m["infeasible"], "partial": self.is_partial}
        settings.update(m.get("constants", {}))
        for name, values in m["experiment"].get("params", {}).items():
            settings["axis." + name] = json.dumps(values)
        return settings


def value_of(cell):
    """Returns the value of a cell: priorities may be a number or a letter."""
    if cell == "":
        return None
    try:
        return int(cell)
    except ValueError:
        pass
    try:
        number = float(cell)
    except ValueError:
        return cell
    return number if math.isfinite(number) else cell
