# SPDX-License-Identifier: Apache-2.0
"""The results of a call of `Model.evaluate`."""

import numpy as np

from ._labels import labelled
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


class Evaluation(dict):
    """Results of points: a dict from the names of columns to arrays.

    All arrays have the shape to which the values of the call broadcast. If all values are single,
    the results are a float or a str. A number is NaN and a text "" where a point has no result.

    If values of the call were pandas Series, the results are Series with the same index, so that
    assignments, `join` and ``pandas.DataFrame(results)`` put each result into its row. With more
    than one dimension they are arrays; `to_frame` then repeats the index.

    Attributes
    ----------
    shape : tuple of int
        The shape of all arrays.
    codes : array of uint8, or int
        The outcome of each point: an index of `ppsweep.evaluation.OUTCOMES`.
    parameters : dict
        The values of the call.
    index : pandas.Index or None
        The index of the Series among these values.
    """

    __slots__ = ("shape", "codes", "parameters", "index", "_series", "_details", "_handle")

    def __init__(self, columns, shape, codes, details, handle, parameters, index=None, series=()):
        super().__init__(columns)
        self.shape = shape
        self.codes = codes
        self.parameters = parameters
        self.index = index
        self._series = series  # the names of parameters that are Series
        self._details = details
        self._handle = handle

    def _repr_html_(self):
        """Show at most 20 points, with the parameters of the call."""
        from html import escape

        shown = 20
        columns = {**self.parameters, **self}
        cells = [np.broadcast_to(np.asarray(values, object), self.shape).reshape(-1)[:shown]
                 for values in columns.values()]
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>"
                       for row in zip(*cells))
        n = int(np.prod(self.shape, dtype=int))
        rest = f"<p>{shown} of {n} points</p>" if n > shown else ""
        return f"<table><tr>{head}</tr>{body}</table>{rest}"

    @property
    def outcome(self):
        """The outcome of each point in words.

        "ok", "infeasible" (the point cannot run, for example for lack of memory), "skipped" (a
        rule of the model excludes it), "failed" (the model could not finish it) or "invalid" (a
        parameter does not allow its value).
        """
        if self.shape == ():
            return OUTCOMES[self.codes]
        return labelled(_WORDS[self.codes], self.index, "outcome")

    @property
    def ok(self):
        """True for each point with complete results."""
        if self.shape == ():
            return self.codes == 0
        return labelled(self.codes == 0, self.index, "ok")

    @property
    def reason(self):
        """The rule that excludes each skipped point, as a phrase; "" for other points."""
        if self.shape == ():
            return reason_of(self._handle, self._details) if self.codes == SKIPPED else ""
        numbers = np.where(self.codes == SKIPPED, self._details, -1)
        kinds, places = np.unique(numbers, return_inverse=True)
        phrases = ["" if kind < 0 else reason_of(self._handle, int(kind)) for kind in kinds]
        found = np.array(phrases, dtype=object)[places].reshape(self.shape)
        return labelled(found, self.index, "reason")

    def to_dict(self, parameters=True):
        """Return a dict of arrays with one value per point: parameters, columns and the outcome.

        Parameters
        ----------
        parameters : bool or sequence of str
            All parameters of the call, none, or the named ones.

        Examples
        --------
        >>> polars.DataFrame(evaluate("contention", n=[8, 16], gpus=4).to_dict())
        """
        names = (self.parameters if parameters is True else parameters) or ()
        given = {name: self._each_point(self.parameters[name]) for name in names}
        columns = {name: np.ravel(values) for name, values in self.items()}
        return {**given, **columns, "outcome": np.ravel(self.outcome)}

    def to_frame(self, parameters=None):
        """Return parameters, columns and the outcome as a pandas DataFrame, one row per point.

        Parameters
        ----------
        parameters : bool or sequence of str, optional
            All parameters of the call, none, or the named ones. None: those that were not given as
            a Series, whose frame has them already.

        Returns
        -------
        pandas.DataFrame
            The rows have the index of the Series among the parameters. Otherwise they are numbered
            from 0.

        Examples
        --------
        >>> frame.join(evaluate("contention", n=frame.n, gpus=4).to_frame())
        >>> evaluate("contention", n=frame.n, gpus=4).to_frame(parameters=True)
        """
        import pandas
        if parameters is None:
            parameters = [name for name in self.parameters if name not in self._series]
        index = self.index
        if index is not None:
            index = index.take(self._each_point(np.arange(len(index))))
        return pandas.DataFrame(self.to_dict(parameters), index=index)

    def _each_point(self, values):
        """Return the values as an array with one value for each point."""
        array = np.asarray(values)
        if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
            array = np.array(values, dtype=object)  # numbers among names stay numbers
        return np.broadcast_to(array, self.shape).ravel()

    def __repr__(self):
        values = ", ".join(f"{name}={value!r}" for name, value in self.items())
        return f"<Evaluation {values}, outcome={self.outcome!r}>"
