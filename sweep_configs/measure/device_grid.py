#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures on one accelerator what a model of training steps has to know about it.

usage: device_grid.py [--out DIR] [--seconds N] [--only SECTION,...] [--tiny]

Writes DIR/grid.jsonl, one JSON object per measurement, as it goes: a run that is cut short keeps what it has.
Every object has `section`, what was measured (shapes in elements, `bytes`, `flops`), `seconds` (median), `best`
(minimum), `runs`; a measurement that failed has `error` instead. Within a section the order is shuffled with a fixed
seed, so a section that runs out of its share of time has an even sample of its grid.

Sections: info launch copy gemm waves gemm8 grouped attention pointwise optimizer contend layer model
Weights, gradients and optimizer states of `model` are bf16 (8 bytes a parameter). Exchanges between devices are absent.
`ppsweep nd calibrate --grid grid.jsonl` makes the record of a device from the file.
Needs PyTorch 2.8 or newer; `contend` needs Triton. `--tiny` runs every section on small shapes, on a CPU too, to test this program.
"""
import argparse
import contextlib
import json
import os
import random
import statistics
import time

import torch
import torch.nn.functional as F
import torch.utils.checkpoint

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

SHARES = {"info": 1, "launch": 1, "copy": 3, "gemm": 24, "waves": 4, "gemm8": 8, "grouped": 9, "attention": 16,
          "pointwise": 8, "optimizer": 3, "contend": 8, "layer": 10, "model": 15}
CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
BF16 = torch.bfloat16

# hidden, query heads, key-value heads, head size, feed-forward width, vocabulary
MODELS = {
    "qwen3-0.6b": (1024, 16, 8, 128, 3072, 151936),
    "llama3.2-1b": (2048, 32, 8, 64, 8192, 128256),
    "qwen3-4b": (2560, 32, 8, 128, 9728, 151936),
    "llama3-8b": (4096, 32, 8, 128, 14336, 128256),
    "llama2-13b": (5120, 40, 40, 128, 13824, 32000),
    "llama3-70b": (8192, 64, 8, 128, 28672, 128256),
    "llama3-405b": (16384, 128, 8, 128, 53248, 128256),
}


# ---------------------------------------------------------------- timing

class Bench:
    def __init__(self, out, tiny):
        self.file = open(out, "a", buffering=1)
        self.tiny = tiny
        self.flush = torch.empty(256 << 20 if CUDA else 1024, dtype=torch.uint8, device=DEVICE)
        self.began = time.perf_counter()

    def write(self, section, what, **figures):
        row = {"section": section, **what, **figures, "at": round(time.perf_counter() - self.began, 3)}
        self.file.write(json.dumps(row) + "\n")

    def times(self, work, budget=0.03, cold=True, least=5, most=100):
        """Seconds of single runs of work(). cold: the L2 cache is overwritten before each run."""
        for _ in range(1 if self.tiny else 3):
            work()
        if not CUDA:
            times = []
            for _ in range(2):
                start = time.perf_counter()
                work()
                times.append(time.perf_counter() - start)
            return times
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        first.record()
        work()
        last.record()
        torch.cuda.synchronize()
        runs = max(least, min(most, int(budget / max(first.elapsed_time(last) / 1e3, 1e-6))))
        pairs = []
        for _ in range(runs):
            if cold:
                self.flush.zero_()
            pair = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            pair[0].record()
            work()
            pair[1].record()
            pairs.append(pair)
        torch.cuda.synchronize()
        return [a.elapsed_time(b) / 1e3 for a, b in pairs]

    def measure(self, section, what, work, **options):
        times = self.times(work, **options)
        self.write(section, what, seconds=statistics.median(times), best=min(times), runs=len(times))

    def grid(self, section, entries, until):
        """entries: (what, function that prepares tensors and returns work, options), in any order."""
        random.Random(20261127).shuffle(entries)
        done = 0
        for what, prepare, options in entries:
            if time.perf_counter() > until:
                break
            try:
                self.measure(section, what, prepare(), **options)
            except Exception as error:  # one shape that a library refuses must not end the run
                self.write(section, what, error=f"{type(error).__name__}: {str(error)[:200]}")
                if CUDA:
                    torch.cuda.empty_cache()
            done += 1
        self.write(section, {"summary": True}, entries=len(entries), done=done)


def normal(*shape, dtype=BF16, scale=1.0):
    return torch.randn(*shape, device=DEVICE, dtype=torch.float32 if not CUDA else dtype).to(dtype) * scale


def sync():
    if CUDA:
        torch.cuda.synchronize()


# ---------------------------------------------------------------- machine, launch, copy

def info(bench, until):
    what = {"torch": torch.__version__, "device": "cpu"}
    if CUDA:
        p = torch.cuda.get_device_properties(0)
        what.update(device=p.name, processors=p.multi_processor_count, memory=p.total_memory, cuda=torch.version.cuda,
                    cudnn=torch.backends.cudnn.version())
    bench.write("info", what, clocks=clocks())


def clocks():
    with contextlib.suppress(Exception):
        import pynvml
        pynvml.nvmlInit()
        card = pynvml.nvmlDeviceGetHandleByIndex(0)
        return {"sm_mhz": pynvml.nvmlDeviceGetClockInfo(card, pynvml.NVML_CLOCK_SM),
                "memory_mhz": pynvml.nvmlDeviceGetClockInfo(card, pynvml.NVML_CLOCK_MEM),
                "watts": pynvml.nvmlDeviceGetPowerUsage(card) / 1e3,
                "limit_watts": pynvml.nvmlDeviceGetEnforcedPowerLimit(card) / 1e3,
                "celsius": pynvml.nvmlDeviceGetTemperature(card, 0)}
    return None


def launch(bench, until):
    x = torch.zeros(1, device=DEVICE)
    count = 2000 if CUDA else 10

    def kernels():
        for _ in range(count):
            x.add_(1)
    kernels()
    sync()
    start = time.perf_counter()
    kernels()
    issued = time.perf_counter() - start
    sync()
    bench.write("launch", {"what": "eager"}, seconds=(time.perf_counter() - start) / count, issue_seconds=issued / count)
    if CUDA:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            kernels()
        times = bench.times(graph.replay, cold=False)
        bench.write("launch", {"what": "graph"}, seconds=statistics.median(times) / count, runs=len(times))
    w = normal(256, 256)
    a = normal(64, 256)
    layer = lambda: F.linear(F.silu(F.linear(a, w)), w) + a
    for _ in range(20):
        layer()
    sync()
    start = time.perf_counter()
    for _ in range(200):
        layer()
    issued = time.perf_counter() - start
    sync()
    bench.write("launch", {"what": "4 small operators"}, seconds=(time.perf_counter() - start) / 200,
                issue_seconds=issued / 200)


def copy(bench, until):
    entries = []
    for power in range(12, 16 if bench.tiny else 33, 2):
        size = 1 << power

        def inside(size=size):
            a, b = (torch.empty(size, dtype=torch.uint8, device=DEVICE) for _ in range(2))
            return lambda: b.copy_(a)
        entries.append(({"what": "device", "bytes": 2 * size}, inside, {}))
        if CUDA and power <= 30:
            for down in (False, True):
                def host(size=size, down=down):
                    a = torch.empty(size, dtype=torch.uint8, device=DEVICE)
                    b = torch.empty(size, dtype=torch.uint8, pin_memory=True)
                    return (lambda: b.copy_(a, non_blocking=True)) if down else (lambda: a.copy_(b, non_blocking=True))
                entries.append(({"what": "to host" if down else "from host", "bytes": size}, host, {"cold": False}))
    bench.grid("copy", entries, until)


# ---------------------------------------------------------------- matrix products

def matrices():
    """(what, n, k) of the products of a layer of each model under tensor parallelism, y[m, n] = x[m, k] w[n, k]^T."""
    for name, (hidden, heads, groups, size, width, vocab) in MODELS.items():
        for tp in (1, 2, 4, 8):
            if heads % tp or groups % min(tp, groups):
                continue
            kv = max(groups // tp, 1)
            yield f"{name} qkv tp{tp}", (heads // tp + 2 * kv) * size, hidden
            yield f"{name} projection tp{tp}", hidden, heads // tp * size
            yield f"{name} up tp{tp}", 2 * width // tp, hidden
            yield f"{name} down tp{tp}", hidden, width // tp
        yield f"{name} head tp8", vocab // 8, hidden
    for n, k in ((1536, 7168), (24576, 1536), (576, 7168), (32768, 512), (7168, 16384), (4096, 7168), (7168, 2048)):
        yield "deepseek-v3", n, k


def product(m, n, k, kind, dtype=BF16):
    x, w, y = normal(m, k), normal(n, k, scale=0.02), normal(m, n)
    if kind == "forward":
        return lambda: torch.mm(x, w.t())
    if kind == "input":
        return lambda: torch.mm(y, w)
    return lambda: torch.mm(y.t(), x)


def gemm(bench, until):
    entries, seen = [], set()
    shapes = [("tiny", 64, 32), ("tiny", 48, 64)] if bench.tiny else list(matrices())
    for name, n, k in shapes:
        for m in (16, 32) if bench.tiny else (256, 1024, 2048, 4096, 8192, 16384, 32768):
            if (m, n, k) in seen or m * n * k > 16384 * 2**30:
                continue
            seen.add((m, n, k))
            for kind in ("forward", "input", "weight"):
                entries.append(({"what": kind, "matrix": name, "m": m, "n": n, "k": k, "flops": 2 * m * n * k},
                                lambda m=m, n=n, k=k, kind=kind: product(m, n, k, kind), {"budget": 0.02}))
    bench.grid("gemm", entries, until)


def waves(bench, until):
    """Fine steps of one dimension: tiles and waves of tiles; dimensions that are no multiple of 8 or 64."""
    entries = []
    grid = [(m, 64, 64) for m in (16, 24)] if bench.tiny else (
        [(m, 4096, 4096) for m in range(128, 8192 + 1, 128)] + [(4096, n, 4096) for n in range(1024, 6144 + 1, 128)] +
        [(4096, 4096, k) for k in range(128, 4096 + 1, 128)] + [(8192, n, 2048) for n in (50257, 50264, 50304, 50432)] +
        [(4096, 4096 + d, 4096) for d in (1, 2, 4, 8, 16, 32, 64)] + [(4096, 4096, 4096 + d) for d in (1, 2, 4, 8, 32)])
    for m, n, k in grid:
        entries.append(({"m": m, "n": n, "k": k, "flops": 2 * m * n * k},
                        lambda m=m, n=n, k=k: product(m, n, k, "forward"), {"budget": 0.01}))
    bench.grid("waves", entries, until)


def gemm8(bench, until):
    if not CUDA:
        bench.write("gemm8", {}, error="needs a GPU")
        return
    f8 = torch.float8_e4m3fn
    entries = []
    for name, n, k in [("tiny", 64, 32)] if bench.tiny else list(matrices()):
        for m in (2048, 8192, 32768):
            if n % 16 or k % 16 or m * n * k > 16384 * 2**30:
                continue
            for rows in (False, True):
                def prepare(m=m, n=n, k=k, rows=rows):
                    a, b = normal(m, k).to(f8), normal(n, k).to(f8).t()
                    sa = torch.ones((m, 1) if rows else (), device=DEVICE)
                    sb = torch.ones((1, n) if rows else (), device=DEVICE)
                    return lambda: torch._scaled_mm(a, b, scale_a=sa, scale_b=sb, out_dtype=BF16, use_fast_accum=True)
                entries.append(({"what": "rows" if rows else "tensor", "matrix": name, "m": m, "n": n, "k": k,
                                 "flops": 2 * m * n * k}, prepare, {"budget": 0.02}))
    for m, k in ((8192, 4096), (8192, 8192), (32768, 7168)):
        def quantize(m=m, k=k):
            x = normal(m, k)

            def work():
                scale = 448 / x.abs().amax().float()
                return (x * scale).to(f8)
            return work
        entries.append(({"what": "quantize eager", "m": m, "k": k, "bytes": 3 * m * k}, quantize, {}))
    bench.grid("gemm8", entries, until)


def loads(tokens, experts, even):
    if even:
        return [tokens] * experts
    weights = [1 / (1 + e) ** 0.5 for e in range(experts)]
    total = sum(weights)
    return [max(int(tokens * experts * w / total), 1) for w in weights]


def grouped(bench, until):
    entries = []
    shapes = [(4, 16, 64, 32)] if bench.tiny else [
        (e, t, n, k) for n, k in ((1536, 2048), (2048, 768), (4096, 7168), (7168, 2048), (28672, 4096), (4096, 14336))
        for e in (4, 8, 16, 32, 64, 128) for t in (16, 64, 256, 1024) if e * t <= 32768 and e * n * k < 5 * 2**30]
    for e, t, n, k in shapes:
        for even in (True, False):
            rows = loads(t, e, even)
            what = {"experts": e, "tokens": t, "even": even, "n": n, "k": k, "rows": sum(rows), "flops": 2 * sum(rows) * n * k}

            def prepare(e=e, n=n, k=k, rows=rows):
                x, w = normal(sum(rows), k), normal(e, k, n, scale=0.02)
                ends = torch.tensor(rows, device=DEVICE).cumsum(0).to(torch.int32)
                return lambda: torch._grouped_mm(x, w, offs=ends)

            def loop(e=e, n=n, k=k, rows=rows):
                parts, w = normal(sum(rows), k).split(rows), normal(e, k, n, scale=0.02)
                return lambda: [torch.mm(a, b) for a, b in zip(parts, w)]
            entries.append(({"what": "grouped", **what}, prepare, {"budget": 0.02}))
            if e <= 32 and t in (64, 1024):
                entries.append(({"what": "loop", **what}, loop, {"budget": 0.02}))
    bench.grid("grouped", entries, until)


# ---------------------------------------------------------------- attention

def attention(bench, until):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = {"flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION} if CUDA else {"math": SDPBackend.MATH}
    entries = []
    lengths = (32, 64) if bench.tiny else (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)
    shapes = [(2, 1, 16, 16)] if bench.tiny else [(32, 8, 128, 128), (32, 32, 64, 64), (8, 1, 128, 128), (16, 8, 128, 128),
                                                   (16, 16, 192, 128), (40, 40, 128, 128), (4, 1, 128, 128), (8, 8, 256, 256)]
    for s in lengths:
        for heads, groups, size, values in shapes:
            for batch in (1, 4):
                if batch * heads * s > 2**22 or (s >= 65536 and heads > 16):
                    continue
                for causal in (True, False):
                    if not causal and s > 32768:
                        continue
                    for name, backend in backends.items():
                        for kind in ("forward", "backward"):
                            pairs = s * (s + 1) // 2 if causal else s * s
                            flops = 2 * batch * heads * pairs * (size + values) * (1 if kind == "forward" else 2.5)
                            what = {"what": kind, "backend": name, "causal": causal, "batch": batch, "heads": heads,
                                    "kv_heads": groups, "size": size, "value_size": values, "length": s, "flops": flops}

                            def prepare(b=batch, h=heads, g=groups, d=size, v=values, s=s, causal=causal, backend=backend, kind=kind):
                                q, k, x = normal(b, h, s, d), normal(b, g, s, d), normal(b, g, s, v)
                                extra = {"enable_gqa": True} if g != h else {}

                                def forward():
                                    with sdpa_kernel(backend):
                                        return F.scaled_dot_product_attention(q, k, x, is_causal=causal, **extra)
                                if kind == "forward":
                                    return forward
                                for t in (q, k, x):
                                    t.requires_grad_()
                                out = forward()
                                grad = torch.randn_like(out)
                                return lambda: torch.autograd.grad(out, (q, k, x), grad, retain_graph=True)
                            entries.append((what, prepare, {"budget": 0.02, "cold": False, "least": 3}))
    bench.grid("attention", entries, until)


# ---------------------------------------------------------------- kernels bound by memory

def rope(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-b, a), dim=-1) * sin


def norm_by_hand(x, w):
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5)).to(x.dtype) * w


def pointwise(bench, until):
    entries = []
    for tokens, hidden in ((16, 64),) if bench.tiny else ((1024, 1024), (2048, 4096), (8192, 1024), (8192, 4096), (8192, 8192),
                                                           (32768, 4096), (8192, 16384), (32768, 7168)):
        size = tokens * hidden

        def case(name, bytes_, make, hidden=hidden, tokens=tokens):
            entries.append(({"what": name, "tokens": tokens, "hidden": hidden, "bytes": bytes_}, make, {"budget": 0.01}))

        def compiled(function, *shapes, t=tokens, h=hidden):
            def make():
                fast = torch.compile(function, dynamic=False)
                inputs = [normal(*s(t, h)) for s in shapes]
                return lambda: fast(*inputs)
            return make

        def eager(function, *shapes, t=tokens, h=hidden):
            def make():
                inputs = [normal(*s(t, h)) for s in shapes]
                return lambda: function(*inputs)
            return make
        rows, weight, double = (lambda t, h: (t, h)), (lambda t, h: (h,)), (lambda t, h: (t, 2 * h))
        glu = lambda x: F.silu(x[..., :x.shape[-1] // 2]) * x[..., x.shape[-1] // 2:]
        case("rms norm by hand", 4 * size, eager(norm_by_hand, rows, weight))
        case("rms norm", 4 * size, eager(lambda x, w: F.rms_norm(x, (x.shape[-1],), w), rows, weight))
        case("layer norm", 4 * size, eager(lambda x, w: F.layer_norm(x, (x.shape[-1],), w), rows, weight))
        case("swiglu", 6 * size, eager(glu, double))
        case("gelu", 4 * size, eager(lambda x: F.gelu(x, approximate="tanh"), rows))
        case("add", 6 * size, eager(lambda a, b: a + b, rows, rows))
        case("dropout", 4 * size, eager(lambda x: F.dropout(x, 0.1), rows))
        case("rope", 4 * size, eager(rope, rows, rows, rows))
        case("to fp32", 6 * size, eager(lambda x: x.float(), rows))
        if CUDA and tokens == 8192 and hidden == 8192:
            case("rms norm compiled", 4 * size, compiled(norm_by_hand, rows, weight))
            case("swiglu compiled", 6 * size, compiled(glu, double))
            case("rope compiled", 4 * size, compiled(rope, rows, rows, rows))
    for tokens, vocab in ((16, 64),) if bench.tiny else ((2048, 32000), (8192, 32000), (8192, 128256), (4096, 151936)):
        for kind in ("forward", "both"):
            def loss(tokens=tokens, vocab=vocab, kind=kind):
                x = normal(tokens, vocab).requires_grad_(kind == "both")
                labels = torch.randint(vocab, (tokens,), device=DEVICE)
                if kind == "forward":
                    return lambda: F.cross_entropy(x.float(), labels)
                return lambda: torch.autograd.grad(F.cross_entropy(x.float(), labels), x)
            entries.append(({"what": f"cross entropy {kind}", "tokens": tokens, "vocabulary": vocab}, loss, {"budget": 0.02}))
    bench.grid("pointwise", entries, until)


def optimizer(bench, until):
    entries = []
    for count in (1 << 10,) if bench.tiny else (1 << 20, 1 << 24, 1 << 27, 1 << 29):
        for fused in (True, False):
            for tensors in (1, 64):
                def make(count=count, fused=fused, tensors=tensors):
                    weights = [torch.zeros(count // tensors, device=DEVICE, requires_grad=True) for _ in range(tensors)]
                    for w in weights:
                        w.grad = torch.randn_like(w)
                    extra = {"fused": True} if fused and CUDA else {"foreach": True}
                    return torch.optim.AdamW(weights, lr=1e-4, **extra).step
                entries.append(({"what": "fused" if fused else "foreach", "parameters": count, "tensors": tensors,
                                 "bytes": 28 * count}, make, {"cold": False}))
    bench.grid("optimizer", entries, until)


# ---------------------------------------------------------------- computation beside transfers

if triton:
    @triton.jit
    def move(source, target, count, BLOCK: tl.constexpr):
        for start in range(tl.program_id(0) * BLOCK, count, tl.num_programs(0) * BLOCK):
            at = start + tl.arange(0, BLOCK)
            tl.store(target + at, tl.load(source + at, mask=at < count), mask=at < count)


def contend(bench, until):
    """Slowdown of computation and of a copy by few thread blocks (as an exchange's kernels are) that run together."""
    if not CUDA or not triton:
        bench.write("contend", {}, error="needs a GPU and Triton")
        return
    size = 1 << 28  # elements of 4 bytes
    source, target = (torch.empty(size, dtype=torch.int32, device=DEVICE) for _ in range(2))
    pinned = torch.empty(1 << 28, dtype=torch.uint8, pin_memory=True)
    landed = torch.empty(1 << 28, dtype=torch.uint8, device=DEVICE)
    x, w = normal(8192, 8192), normal(8192, 8192, scale=0.02)
    thin, thin_w = normal(8192, 1024), normal(8192, 1024, scale=0.02)
    q, k = normal(1, 32, 8192, 128), normal(1, 8, 8192, 128)
    works = {"gemm 8192 8192 8192": lambda: torch.mm(x, w.t()), "gemm 8192 8192 1024": lambda: torch.mm(thin, thin_w.t()),
             "attention 8192": lambda: F.scaled_dot_product_attention(q, k, k, is_causal=True, enable_gqa=True),
             "rms norm": lambda: F.rms_norm(x, (8192,))}
    movers = {f"copy by {b} blocks": (lambda b=b: move[(b,)](source, target, size, BLOCK=4096, num_warps=16), 8 * size)
              for b in (2, 4, 8, 16, 24, 32)}
    movers["from host"] = (lambda: landed.copy_(pinned, non_blocking=True), 1 << 28)
    movers["to host"] = (lambda: pinned.copy_(landed, non_blocking=True), 1 << 28)
    first, second = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)

    def span(stream, work, count):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(stream):
            a.record()
            for _ in range(count):
                work()
            b.record()
        return a, b

    def alone(stream, work, count):
        span(stream, work, 2)
        torch.cuda.synchronize()
        a, b = span(stream, work, count)
        torch.cuda.synchronize()
        return a.elapsed_time(b) / 1e3 / count

    for mover, (go, bytes_) in movers.items():
        for name, work in works.items():
            if time.perf_counter() > until:
                return
            compute, transfer = alone(first, work, 10), alone(second, go, 3)
            # Compute amid transfers: transfers start first and last longer, and the other way round.
            count = max(int(0.02 / compute), 3)
            span(second, go, int(2.5 * count * compute / transfer) + 2)
            time.sleep(0.001)
            a, b = span(first, work, count)
            torch.cuda.synchronize()
            slowed = a.elapsed_time(b) / 1e3 / count
            moves = max(int(0.02 / transfer), 1)
            span(first, work, int(3 * moves * transfer / compute) + 2)
            c, d = span(second, go, moves)
            torch.cuda.synchronize()
            bench.write("contend", {"mover": mover, "work": name, "bytes": bytes_}, compute=compute, compute_together=slowed,
                        transfer=transfer, transfer_together=c.elapsed_time(d) / 1e3 / moves)


# ---------------------------------------------------------------- a layer, a model

class Layer(torch.nn.Module):
    """A layer of Llama's form; under tensor parallelism, one device's share of it, without exchanges."""

    def __init__(self, hidden, heads, groups, size, width):
        super().__init__()
        make = lambda n, k: torch.nn.Parameter(torch.randn(n, k, device=DEVICE, dtype=BF16) * 0.02)
        self.heads, self.groups, self.size = heads, groups, size
        self.qkv, self.out = make((heads + 2 * groups) * size, hidden), make(hidden, heads * size)
        self.up, self.down = make(2 * width, hidden), make(hidden, width)
        self.norms = torch.nn.ParameterList([torch.ones(hidden, device=DEVICE, dtype=BF16) for _ in range(2)])

    def core(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.heads != self.groups)

    def forward(self, x, cos, sin, selective=False):
        b, s, h = x.shape
        y = F.rms_norm(x, (h,), self.norms[0])
        q, k, v = F.linear(y, self.qkv).view(b, s, -1, self.size).transpose(1, 2).split([self.heads, self.groups, self.groups], 1)
        q, k = rope(q, cos, sin), rope(k, cos, sin)
        if selective:
            a = torch.utils.checkpoint.checkpoint(self.core, q, k, v, use_reentrant=False)
        else:
            a = self.core(q, k, v)
        x = x + F.linear(a.transpose(1, 2).reshape(b, s, -1), self.out)
        gate, up = F.linear(F.rms_norm(x, (h,), self.norms[1]), self.up).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.down)


class Model(torch.nn.Module):
    def __init__(self, layers, hidden, heads, groups, size, width, vocab, recompute="none"):
        super().__init__()
        self.embedding = torch.nn.Parameter(torch.randn(vocab, hidden, device=DEVICE, dtype=BF16) * 0.02)
        self.head = torch.nn.Parameter(torch.randn(vocab, hidden, device=DEVICE, dtype=BF16) * 0.02)
        self.layers = torch.nn.ModuleList(Layer(hidden, heads, groups, size, width) for _ in range(layers))
        self.size, self.recompute = size, recompute

    def forward(self, tokens, labels, chunks=1):
        cos, sin = angles(tokens.shape[1], self.size)
        x = F.embedding(tokens, self.embedding)
        for layer in self.layers:
            if self.recompute == "full":
                x = torch.utils.checkpoint.checkpoint(layer, x, cos, sin, use_reentrant=False)
            else:
                x = layer(x, cos, sin, self.recompute == "selective")
        x = F.rms_norm(x, (x.shape[-1],)).flatten(0, 1)

        def loss(part, answer):
            return F.cross_entropy(F.linear(part, self.head).float(), answer, reduction="sum")
        parts = list(zip(x.chunk(chunks), labels.flatten().chunk(chunks)))
        if chunks == 1:
            return loss(*parts[0]) / labels.numel()
        return sum(torch.utils.checkpoint.checkpoint(loss, a, b, use_reentrant=False) for a, b in parts) / labels.numel()


def angles(length, size):
    angle = torch.outer(torch.arange(length, device=DEVICE).float(), 1e4 ** (-torch.arange(0, size, 2, device=DEVICE).float() / size))
    angle = torch.cat((angle, angle), -1)
    return angle.cos().to(BF16), angle.sin().to(BF16)


def held():
    return torch.cuda.memory_allocated() if CUDA else 0


def layer(bench, until):
    cases = [("llama3.2-1b", 1, 64, 1)] if bench.tiny else [
        (name, tp, s, b) for name, tp in (("llama3.2-1b", 1), ("llama3-8b", 1), ("llama3-8b", 4), ("llama3-70b", 8), ("llama3-70b", 4),
                                          ("llama3-405b", 8)) for s, b in ((4096, 1), (8192, 1), (4096, 4), (32768, 1))]
    random.Random(1).shuffle(cases)
    compiled = 0
    for name, tp, s, b in cases:
        hidden, heads, groups, size, width, _ = MODELS[name]
        if bench.tiny:
            hidden, heads, groups, size, width = 64, 4, 2, 16, 96
        for way in ("eager", "full", "selective", "compiled"):
            if time.perf_counter() > until:
                return
            compiled += way == "compiled"
            if way == "compiled" and (compiled > 2 or not CUDA):
                continue
            what = {"what": way, "layer": name, "tp": tp, "length": s, "batch": b}
            try:
                module = Layer(hidden, heads // tp, max(groups // tp, 1), size, width // tp)
                cos, sin = angles(s, size)
                x = normal(b, s, hidden).requires_grad_()
                run = torch.compile(module, dynamic=False) if way == "compiled" else module

                def forward():
                    if way == "full":
                        return torch.utils.checkpoint.checkpoint(run, x, cos, sin, use_reentrant=False)
                    return run(x, cos, sin, way == "selective")
                grad = torch.randn_like(x)
                forward().backward(grad)
                sync()
                before = held()
                y = forward()
                kept = held() - before
                del y
                with torch.no_grad():
                    ahead = bench.times(lambda: run(x, cos, sin), cold=False, budget=0.05)
                both = bench.times(lambda: forward().backward(grad), cold=False, budget=0.1)
                bench.write("layer", what, forward=statistics.median(ahead), seconds=statistics.median(both), best=min(both), runs=len(both),
                            kept_bytes=kept, parameters=sum(p.numel() for p in module.parameters()))
            except Exception as error:
                bench.write("layer", what, error=f"{type(error).__name__}: {str(error)[:200]}")
            module = run = x = grad = None
            if CUDA:
                torch.cuda.empty_cache()


def model(bench, until):
    cases = [("llama3.2-1b", 2, 64, 1, 1)] if bench.tiny else [
        ("llama3.2-1b", 16, 4096, 1, 1), ("llama3.2-1b", 16, 4096, 2, 1), ("llama3.2-1b", 16, 4096, 4, 4), ("llama3.2-1b", 16, 8192, 1, 1),
        ("qwen3-0.6b", 28, 4096, 2, 1), ("qwen3-4b", 12, 4096, 1, 1), ("llama3-8b", 6, 4096, 1, 1), ("llama3-8b", 6, 4096, 4, 4),
        ("llama3-8b", 6, 8192, 1, 1), ("llama3-8b", 6, 32768, 1, 8), ("llama3-70b", 1, 8192, 1, 4)]
    compiled = 0
    for name, layers, s, b, chunks in cases:
        hidden, heads, groups, size, width, vocab = MODELS[name]
        if bench.tiny:
            hidden, heads, groups, size, width, vocab = 64, 4, 2, 16, 96, 256
        for way in ("none", "selective", "full", "compiled"):
            if time.perf_counter() > until:
                return
            compiled += way == "compiled"
            if way == "compiled" and (compiled > 2 or not CUDA):
                continue
            what = {"what": way, "model": name, "layers": layers, "length": s, "batch": b, "loss_chunks": chunks}
            net = steps = None
            try:
                if CUDA:
                    torch.cuda.empty_cache()
                    torch.cuda.reset_peak_memory_stats()
                net = Model(layers, hidden, heads, groups, size, width, vocab, "none" if way == "compiled" else way)
                if way == "compiled":  # layer by layer, as training frameworks do: one compilation serves all layers
                    for part in net.layers:
                        part.compile(dynamic=False)
                steps = torch.optim.AdamW(net.parameters(), lr=1e-5, fused=CUDA)
                tokens, labels = (torch.randint(vocab, (b, s), device=DEVICE) for _ in range(2))

                def step():
                    net(tokens, labels, chunks).backward()
                    steps.step()
                    steps.zero_grad(set_to_none=True)
                times = bench.times(step, cold=False, budget=1.0, least=3, most=8)
                bench.write("model", what, seconds=statistics.median(times), best=min(times), runs=len(times),
                            parameters=sum(p.numel() for p in net.parameters()),
                            peak_bytes=torch.cuda.max_memory_allocated() if CUDA else None,
                            reserved_bytes=torch.cuda.max_memory_reserved() if CUDA else None)
            except Exception as error:
                bench.write("model", what, error=f"{type(error).__name__}: {str(error)[:200]}")


def main():
    parser = argparse.ArgumentParser(description="Measures one accelerator; see the top of the file.")
    parser.add_argument("--out", default=".")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--only", default="")
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    chosen = [s for s in SHARES if not arguments.only or s in arguments.only.split(",")]
    bench = Bench(os.path.join(arguments.out, "grid.jsonl"), arguments.tiny)
    torch.manual_seed(1)
    left, share = arguments.seconds, sum(SHARES[s] for s in chosen)
    for section in chosen:
        start = time.perf_counter()
        try:
            globals()[section](bench, start + left * SHARES[section] / share)
        except Exception as error:
            bench.write(section, {}, error=f"{type(error).__name__}: {str(error)[:400]}")
        sync()
        used = time.perf_counter() - start
        left, share = left - used, share - SHARES[section]
        bench.write("section", {"name": section}, seconds=used, clocks=clocks())
        print(f"{section}: {used:.1f} s", flush=True)


if __name__ == "__main__":
    main()
