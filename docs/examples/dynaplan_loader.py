#!/usr/bin/env python3
"""Plans batch k + 1 of a data loader while batch k runs.

    PYTHONPATH=python python3 docs/examples/dynaplan_loader.py

`planned` wraps any iterable of global batches, such as a torch DataLoader with a batch sampler. A thread
plans ahead; the planner releases Python's lock while it plans. Without torch the example loads from a list.
"""
import queue
import random
import threading

import ppsweep

try:
    from torch.utils.data import DataLoader
except ImportError:
    DataLoader = None


def planned(batches, planner, length=len, ahead=1):
    """Yields (batch, plan) of an iterable of batches, of which up to `ahead` are planned before they are asked for."""
    ready, ended = queue.Queue(ahead), threading.Event()

    def put(item):
        while not ended.is_set():
            try:
                return ready.put(item, timeout=0.1)
            except queue.Full:
                continue

    def work():
        try:
            for batch in batches:
                put((batch, planner.generate_execution_plan([length(sample) for sample in batch])))
                if ended.is_set():
                    return
            put(None)
        except BaseException as error:  # raised where the batch is asked for
            put(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        ended.set()


def micro_batches(batch, plan, replica=0):
    """Yields the samples of every micro-batch of a replica, in the order of its first stage."""
    for m in range(plan.first[replica], plan.first[replica + 1]):
        yield [batch[i] for i in plan.samples_of(m)]


def load(samples, size):
    """Returns the global batches of a data set."""
    if DataLoader is not None:
        return DataLoader(samples, batch_size=size, shuffle=False, collate_fn=list)
    return [samples[k:k + size] for k in range(0, len(samples), size)]


def main():
    draw = random.Random(1)
    samples = [[0] * min(2000, max(8, int(draw.lognormvariate(5, 1)))) for _ in range(96)]
    planner = ppsweep.Planner("llama2-7b", devices=4, tp=2, mode="quick")
    for batch, plan in planned(load(samples, 32), planner):
        tokens = sum(len(sample) for micro_batch in micro_batches(batch, plan) for sample in micro_batch)
        print(f"{len(batch)} samples, {tokens} tokens, {len(plan.rows)} micro-batches, {plan.makespan_ms:.2f} ms")


if __name__ == "__main__":
    main()
