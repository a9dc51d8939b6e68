// SPDX-License-Identifier: Apache-2.0
// Computes the time of primitive operations on a device: matrix products, memory traffic, exchanges
// among ranks. Exchanges are rings: (n - 1) / n of the buffer passes each device at the rate of the
// slowest link of the ring (Thakur et al., "Optimization of Collective Communication Operations in
// MPICH", 2005).
#include "kernels/common/pipeline/collectives.h"

#include "base/math/detmath.h"

#include <math.h>

// Rows, columns or depth at which a matrix product reaches half of its peak rate.
#define HALF_RATE 64.0

// Latency of a step of a ring with protocol LL128 over NVLink and over a network, 1.9 and 4 us (NCCL,
// src/graph/tuning.cc, hwLat), as a share of a collective's 8 us.
#define STEP_WITHIN (1.9 / 8)
#define STEP_ACROSS (4.0 / 8)

static double filled(double size)
{
    return size / (size + HALF_RATE);
}

static double product(double rate, double m, double n, double k)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return 0;
    return 2 * m * n * k / (rate * filled(m) * filled(n) * filled(k));
}

// Products of a device whose shapes are measured: blocks of one size, computed in waves, and not
// quicker than the matrices pass the memory. `bytes` of a factor's element.
static double measured_products(const struct hardware *hw, double rate, double bytes,
                                double products, double m, double n, double k)
{
    const struct hardware_shapes *s = &hw->shapes;
    const double blocks = products * ceil(m / s->tile_m) * ceil(n / s->tile_n);
    const double waves = blocks / s->processors;
    const double counted = waves + s->wave * (ceil(waves) - waves);
    const double block = 2 * s->tile_m * s->tile_n * (k + s->half_k);
    if (m <= 0 || n <= 0 || k <= 0)
        return 0;
    return fmax(counted * s->processors * block / rate,
                hardware_stream(hw, products * (bytes * (m * k + n * k) + 2 * m * n)));
}

double hardware_gemm(const struct hardware *hw, double m, double n, double k)
{
    const double rate = hw->peak * hw->gemm_eff;
    return hw->shapes.tile_m > 0 ? measured_products(hw, rate, 2, 1, m, n, k)
                                 : product(rate, m, n, k);
}

double hardware_gemm_fp8(const struct hardware *hw, double m, double n, double k)
{
    const double rate = hw->peak_fp8 * hw->fp8_eff;
    return hw->shapes.tile_m > 0 ? measured_products(hw, rate, 1, 1, m, n, k)
                                 : product(rate, m, n, k);
}

double hardware_grouped_gemm(const struct hardware *hw, double products, double m, double n,
                             double k)
{
    const double rate = hw->peak * hw->gemm_eff;
    return hw->shapes.tile_m > 0 ? measured_products(hw, rate, 2, products, m, n, k)
                                 : products * product(rate, m, n, k);
}

double hardware_attention_rate(const struct hardware *hw, double tokens, double half,
                               double size)
{
    const struct hardware_shapes *s = &hw->shapes;
    const double rate = hw->peak * hw->attention_eff;
    if (s->backward <= 0)
        return rate * tokens / (tokens + half);
    return rate * (tokens / (tokens + s->half_length)) * (size / (size + s->half_size));
}

double hardware_stream(const struct hardware *hw, double bytes)
{
    return bytes / (hw->hbm * hw->memory_eff);
}

double hardware_host(const struct hardware *hw, double bytes)
{
    return bytes > 0 ? bytes / (hw->host * hw->link_eff) : 0;
}

double hardware_kernels(const struct hardware *hw, double kernels)
{
    return kernels * hw->shapes.kernel;
}

// Returns the ranks of a group that share a node; neighbours are `stride` devices apart.
static int64_t ranks_in_node(const struct hardware *hw, int64_t ranks, int64_t stride)
{
    if (stride >= hw->node)
        return 1;
    int64_t places = hw->node / stride;
    return places < ranks ? places : ranks;
}

static double by_size(const struct hardware_sizes *sizes, int64_t size, double otherwise)
{
    double value = sizes->n > 0 ? sizes->at[0].value : otherwise;
    for (int i = 1; i < sizes->n && sizes->at[i].size <= size; i++)
        value = sizes->at[i].value;
    return value;
}

// `span` devices of a node lie between the first and the last rank of the group, and `groups` such
// groups exchange at the same time. Groups that span the node share the path between its halves.
static double rate_within(const struct hardware *hw, int64_t span, int64_t groups)
{
    const double rate =
        hw->intra * by_size(&hw->within, span < hw->node ? span : hw->node, hw->link_eff);
    if (hw->shared_path <= 0 || span < hw->node)
        return rate;
    return fmin(rate, hw->intra * hw->shared_path / (double)groups);
}

// Of one device's links to other nodes.
static double rate_across(const struct hardware *hw, int64_t nodes, int64_t devices)
{
    const struct hardware_sizes *levels = &hw->levels;
    double share = 1;
    for (int i = 0; i < levels->n && levels->at[i].size <= devices; i++)
        share = levels->at[i].value;
    const double rate = hw->inter * share * by_size(&hw->across, nodes, hw->link_eff);
    return hw->across_most > 0 ? fmin(rate, hw->across_most) : rate;
}

double hardware_link_rate(const struct hardware *hw, int64_t ranks, int64_t stride)
{
    int64_t inside = ranks_in_node(hw, ranks, stride);
    if (inside >= ranks)
        return rate_within(hw, ranks * stride, stride);
    // Every device of the group within a node adds its own link to other nodes.
    double across =
        (double)inside * rate_across(hw, (ranks + inside - 1) / inside, ranks * stride);
    return inside > 1 ? fmin(rate_within(hw, inside * stride, stride), across) : across;
}

// What an exchange takes beyond its bytes because it crosses nodes.
static double across_latency(const struct hardware *hw, int64_t ranks, int64_t stride)
{
    if (hw->hop <= 0)
        return 0;
    const int64_t inside = ranks_in_node(hw, ranks, stride);
    return inside < ranks ? hw->hop * (double)((ranks + inside - 1) / inside) : 0;
}

double hardware_gather(const struct hardware *hw, int64_t ranks, int64_t stride, double bytes)
{
    if (ranks <= 1)
        return 0;
    double n = (double)ranks;
    return (n - 1) / n * bytes / hardware_link_rate(hw, ranks, stride) +
           hw->alpha * detmath_log2(n) + across_latency(hw, ranks, stride);
}

double hardware_buckets(const struct hardware *hw, int64_t ranks, int64_t stride, double bytes)
{
    const double time = hardware_gather(hw, ranks, stride, bytes);
    const int64_t inside = ranks_in_node(hw, ranks, stride);
    const double across = inside < ranks ? (double)((ranks + inside - 1) / inside) : 0;
    if (ranks <= 1 || hw->bucket <= 0)
        return time;
    const double within = fmax(0, (double)ranks - 1 - across);
    return time +
           bytes / hw->bucket * hw->alpha * (within * STEP_WITHIN + across * STEP_ACROSS);
}

double hardware_nodes(const struct hardware *hw, int64_t ranks)
{
    return (double)ranks / (double)ranks_in_node(hw, ranks, 1);
}

double hardware_all_to_all(const struct hardware *hw, int64_t ranks, double bytes,
                           double across)
{
    if (ranks <= 1)
        return 0;
    int64_t inside = ranks_in_node(hw, ranks, 1);
    double n = (double)ranks, in = (double)inside;
    double within = bytes / rate_within(hw, inside, 1);
    if (inside >= ranks)
        return (n - 1) / n * within + hw->alpha;
    const double rate = rate_across(hw, (ranks + inside - 1) / inside, ranks);
    double beyond = fmin((n - in) / n, across) * bytes / rate;
    // What came to the node once is passed on within it.
    double inside_share = across < 1 ? (in - 1) / in : (in - 1) / n;
    return fmax(inside_share * within, beyond) + hw->alpha;
}
