# SPDX-License-Identifier: Apache-2.0
"""The results of a call of `Model.evaluate`."""

from collections.abc import Mapping

import numpy as np

from ._library import lib, text_of

OUTCOMES = ("ok", "failed", "stopped", "infeasible", "skipped", "invalid")
SKIPPED = OUTCOMES.index("skipped")
INVALID = OUTCOMES.index("invalid")
STOPPED = OUTCOMES.index("stopped")
_WORDS = np.array(OUTCOMES)


def reason_of(handle, number):
    """Return the phrase of a rule of an open model."""
    phrase = lib.model_reason(handle.pointer, number)
    return text_of(phrase) if phrase else ""


class Evaluation(Mapping):
    """Results of points: a mapping from the names of columns to arrays.

    All arrays have the shape to which the values of the call broadcast. If all values are single,
    the results are a float or a str. A number is NaN and a text "" where a point has no result.

    Attributes
    ----------
    shape : tuple of int
        The shape of all arrays.
    codes : array of uint8, or int
        The outcome of each point: an index of `ppsweep.evaluation.OUTCOMES`.
    """

    __slots__ = ("_columns", "shape", "codes", "_details", "_handle")

    def __init__(self, columns, shape, codes, details, handle):
        self._columns = columns
        self.shape = shape
        self.codes = codes
        self._details = details
        self._handle = handle

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    @property
    def outcome(self):
        """The outcome of each point in words.

        "ok", "infeasible" (the point cannot run, for example for lack of memory), "skipped" (a
        rule of the model excludes it), "failed" (the model could not finish it) or "invalid" (a
        parameter does not allow its value).
        """
        return OUTCOMES[self.codes] if self.shape == () else _WORDS[self.codes]

    @property
    def ok(self):
        """True for each point with complete results."""
        return self.codes == 0

    @property
    def reason(self):
        """The rule that excludes each skipped point, as a phrase; "" for other points."""
        if self.shape == ():
            return reason_of(self._handle, self._details) if self.codes == SKIPPED else ""
        numbers = np.where(self.codes == SKIPPED, self._details, -1)
        kinds, places = np.unique(numbers, return_inverse=True)
        phrases = ["" if kind < 0 else reason_of(self._handle, int(kind)) for kind in kinds]
        return np.array(phrases, dtype=object)[places].reshape(self.shape)

    def to_frame(self):
        """Return the columns and the outcome as a pandas DataFrame, one row per point."""
        import pandas
        columns = {name: np.ravel(values) for name, values in self._columns.items()}
        return pandas.DataFrame({**columns, "outcome": np.ravel(self.outcome)})

    def __repr__(self):
        values = ", ".join(f"{name}={value!r}" for name, value in self._columns.items())
        return f"<Evaluation {values}, outcome={self.outcome!r}>"
