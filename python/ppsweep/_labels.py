# SPDX-License-Identifier: Apache-2.0
"""The index that pandas objects among the values of a call have in common."""

import sys

from ._library import Error


def index_of(values):
    """Return the index of the Series among the values, and the names of these values.

    The index is None if no value is a Series. All Series need the same index, because values meet
    by place.
    """
    pandas = sys.modules.get("pandas")  # without the module, no value is a Series
    if pandas is None:
        return None, ()
    for name, value in values.items():
        if isinstance(value, pandas.DataFrame):
            raise TypeError(f"{name}: expected one column, such as frame[{name!r}] (got a DataFrame)")
    names = tuple(name for name, value in values.items() if isinstance(value, pandas.Series))
    if not names:
        return None, ()
    index = values[names[0]].index
    for name in names[1:]:
        if not values[name].index.equals(index):
            raise Error(f"{names[0]} and {name} have different indexes; write "
                        f"{name}.reindex({names[0]}.index), or pass arrays (to_numpy())")
    return index, names


def labelled(array, index, name):
    """Return a Series with the index; the array itself if there is none, or its shape differs."""
    if index is None or array.shape != (len(index),):
        return array
    return sys.modules["pandas"].Series(array, index=index, name=name)


def columns_of(points):
    """Return a dict of the columns of a mapping or of a frame (pandas, polars)."""
    if hasattr(points, "keys") or not hasattr(points, "columns"):
        return dict(points)
    return {name: points[name] for name in points.columns}
