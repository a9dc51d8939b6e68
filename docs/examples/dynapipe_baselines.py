#!/usr/bin/env python3
"""Throughput of planned steps against fixed rules that form micro-batches:

    python3 docs/examples/dynapipe_baselines.py [PPSWEEP [BATCHES]]

Draws global batches of 65 536 tokens from three distributions of lengths, forms micro-batches by every rule, and lets
`ppsweep dynaplan` time them in 1F1B, in the order of the rule, with the recomputation that memory asks for. Every rule gets its
best size (rows or tokens of a micro-batch) for a distribution; `planned` is mode best. Standard library alone.
"""
import heapq
import json
import math
import os
import random
import subprocess
import sys
import tempfile

TOKENS = 65536
LENGTHS = (2048, 8192, 32768)
MIXTURES = {  # share, median and spread (of the logarithm) of lengths
    "FLAN-like": ((0.60, 120, 0.9), (0.35, 450, 0.8), (0.05, 2000, 1.0)),
    "chat": ((1.0, 600, 1.1),),
    "long tail": ((0.97, 300, 0.7), (0.03, 8000, 1.0)),
}
TARGET = (40, 1.0)  # median and spread of targets, for networks with cross attention
TARGET_MOST = 512


def draw_length(draw, mixture, longest):
    pick = draw.random()
    for share, median, spread in mixture:
        pick -= share
        if pick < 0:
            break
    return min(longest, max(8, round(draw.lognormvariate(math.log(median), spread))))


def draw_batch(draw, mixture, longest, targets):
    batch, tokens = [], 0
    while tokens < TOKENS:
        sample = [draw_length(draw, mixture, longest)]
        if targets:
            sample.append(draw_length(draw, ((1.0, *TARGET),), TARGET_MOST))
        batch.append(sample)
        tokens += sum(sample)
    return batch


# ---- rules: a batch and a size into lists of samples --------------------------------------------------------------

def by_rows(order, rows):
    return [order[k:k + rows] for k in range(0, len(order), rows)]


def by_tokens(order, tokens):
    """fairseq: samples in order of length, as many as their padded rows have room for."""
    parts = [[]]
    for sample in order:
        longest = [max(lengths) for lengths in zip(*parts[-1], sample)]
        if parts[-1] and sum(longest) * (len(parts[-1]) + 1) > tokens:
            parts.append([])
        parts[-1].append(sample)
    return parts


def karmarkar_karp(batch, n):
    """Largest differencing: n parts of about equal sums."""
    heap = []
    for i, sample in enumerate(batch):
        parts = [(0, [])] * (n - 1) + [(sum(sample), [sample])]
        heapq.heappush(heap, (-sum(sample), i, parts))
    while len(heap) > 1:
        (_, i, one), (_, _, two) = heapq.heappop(heap), heapq.heappop(heap)
        parts = sorted(((a + b, x + y) for (a, x), (b, y) in zip(one, reversed(two))), key=lambda part: part[0])
        heapq.heappush(heap, (parts[0][0] - parts[-1][0], i, parts))
    return [samples for _, samples in heap[0][2] if samples]


def packed(batch, longest):
    """First fit into rows of the longest length."""
    rows = []
    for sample in batch:
        for row in rows:
            if all(sum(column) <= most for column, most in zip(zip(*row, sample), longest)):
                row.append(sample)
                break
        else:
            rows.append([sample])
    return rows


# ---- micro-batches as rows and lengths ----------------------------------------------------------------------------

def padded(samples):
    return [len(samples), *(8 * math.ceil(max(lengths) / 8) for lengths in zip(*samples))]


def unpadded(samples):
    """Samples behind each other whose attention ends with them: rows and length with as many tokens and as many pairs."""
    tokens, pairs = sum(s[0] for s in samples), sum(s[0] ** 2 for s in samples)
    rows = max(1, round(tokens ** 2 / pairs))
    return [rows, max(8, round(tokens / rows)), *(round(sum(s[k] for s in samples) / rows) for k in range(1, len(samples[0])))]


def rules(longest):
    """Name: sizes, and micro-batches of a batch and a size."""
    most = [longest, TARGET_MOST]
    sizes = [longest * 2 ** k for k in range(4)]

    def fixed(samples, rows):
        return [[len(part), *most[:len(samples[0])]] for part in by_rows(samples, rows)]

    def ordered(batch, rows):
        return [padded(part) for part in by_rows(sorted(batch, reverse=True), rows)]

    def packing(batch, rows):
        return [[len(part), *most[:len(batch[0])]] for part in by_rows(packed(batch, most), rows)]

    def apart(batch, rows):
        return [unpadded([s for row in part for s in row]) for part in by_rows(packed(batch, most), rows)]

    def differencing(batch, tokens):
        return [unpadded(part) for part in karmarkar_karp(batch, math.ceil(sum(map(sum, batch)) / tokens))]

    return {
        "padding": ((1, 2, 4, 8), fixed),
        "sorted padding": ((1, 2, 4, 8, 16), ordered),
        "token budget": (sizes, lambda batch, tokens: [padded(p) for p in by_tokens(sorted(batch, reverse=True), tokens)]),
        "packing": ((1, 2, 4), packing),
        "packing, attention apart": ((1, 2, 4), apart),
        "Karmarkar-Karp": (sizes, differencing),
    }


# ---- times --------------------------------------------------------------------------------------------------------

class Planner:
    def __init__(self, program, options):
        self.command = [program, "dynaplan", *options, "--stream", "-"]

    def times(self, lines, *more):
        """Returns the times of batches in ms; infinity: it does not fit."""
        text = "".join(json.dumps(line) + "\n" for line in lines)
        out = subprocess.run(self.command + list(more), input=text, capture_output=True, text=True).stdout
        return [json.loads(line).get("makespan_ms", math.inf) for line in out.splitlines()]


def throughputs(planner, name, longest, n, targets):
    draw = random.Random(f"{name} {longest} {targets}")
    batches = [draw_batch(draw, MIXTURES[name], longest, targets) for _ in range(n)]
    tokens = sum(sum(map(sum, batch)) for batch in batches)
    planned = planner.times([{"samples": b if targets else [s[0] for s in b]} for b in batches], "-j", "2")
    best = {"planned": sum(planned)}
    for rule, (sizes, form) in rules(longest).items():
        made = [{"micro_batches": form(batch, size)} for size in sizes for batch in batches]
        times = planner.times(made, "--method", "1F1B", "--no-permute", "--mode", "quick", "--budget", "200", "-j", "2")
        best[rule] = min(sum(times[k * n:(k + 1) * n]) for k in range(len(sizes)))
    return {rule: 1000 * tokens / time for rule, time in best.items()}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "ppsweep"
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    names = ("planned", *rules(1))
    with tempfile.TemporaryDirectory() as folder:
        model, costs = os.path.join(folder, "t5.json"), os.path.join(folder, "t5-costs.json")
        with open(model, "w", encoding="utf-8") as file:
            json.dump({"name": "t5", "encoder_layers": 24, "decoder_layers": 24, "hidden_size": 1024, "num_attention_heads": 32,
                       "ffn_hidden_size": 16384, "gated_ffn": False, "vocab_size": 32128, "seq_length": 512}, file)
        subprocess.run([program, "dynaplan", "tables", model, "h100", "--tp", "1", "--longest", "32768", "-o", costs],
                       check=True, capture_output=True)
        print("network, lengths, longest, tokens/s planned, and how many times the throughput of", "; ".join(names[1:]))
        for title, options, targets, lengths in (
                ("GPT", ["-c", "llama2-7b", "--cluster", "h100", "-d", "4", "--tp", "2", "--memory", "30000"], False, LENGTHS),
                ("T5", ["-c", costs, "--cluster", "h100", "-d", "4", "--memory", "24000"], True, LENGTHS[:2])):
            for name in MIXTURES:
                for longest in lengths:
                    found = throughputs(Planner(program, options), name, longest, n, targets)
                    cells = [f"{found['planned']:,.0f}".replace(",", " ")] + [
                        f"{found['planned'] / found[rule]:.2f}" if found[rule] > 0 else "-" for rule in names[1:]]
                    print("|", " | ".join([title, name, f"{longest:,}".replace(",", " "), *cells]), "|", flush=True)


if __name__ == "__main__":
    main()
