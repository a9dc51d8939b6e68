# SPDX-License-Identifier: Apache-2.0
"""Calls of the library that Ctrl-C ends: another thread runs the call, and this one waits."""

import queue
import threading
import weakref

from ._library import lib


class Stop:
    """A stop flag of the library, closed with the object."""

    def __init__(self):
        self.handle = lib.stop_open()
        if not self.handle:
            raise MemoryError("no memory for a stop flag")
        weakref.finalize(self, lib.stop_close, self.handle)

    def set(self):
        lib.stop_raise(self.handle)


def call(function, stop, reports=None, watch=None):
    """Run a function in another thread and return its result.

    Python handles signals in the main thread only while it runs Python code. The caller therefore
    waits for a queue, which a signal interrupts.

    Parameters
    ----------
    function : callable
        Called without arguments. Must end soon after `stop` is set.
    stop : Stop
        Set when the wait ends with an exception: Ctrl-C, or an exception of `watch`.
    reports : queue.SimpleQueue, optional
        `function` may put reports here.
    watch : callable, optional
        Called in the thread of the caller with the latest report. If it returns False, `stop` is
        set.
    """
    reports = reports if reports is not None else queue.SimpleQueue()
    end = object()
    outcome = []

    def work():
        try:
            outcome.append((function(), None))
        except BaseException as error:
            outcome.append((None, error))
        reports.put(end)

    thread = threading.Thread(target=work, name="ppsweep", daemon=True)
    try:
        thread.start()
        report = reports.get()
        while report is not end:
            while not reports.empty():
                following = reports.get()
                if following is end:
                    reports.put(end)
                    break
                report = following
            if watch(report) is False:
                stop.set()
            report = reports.get()
    except BaseException:
        stop.set()
        _wait(thread)
        raise
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


def _wait(thread):
    """Wait for the end of a thread; later signals do not end the wait."""
    while thread.is_alive():
        try:
            thread.join(0.05)
        except KeyboardInterrupt:
            continue
