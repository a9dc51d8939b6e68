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

static double filled(double size)
{
    return size / (size + HALF_RATE);
}

double hardware_gemm(const struct hardware *hw, double m, double n, double k)
{
    if (m <= 0 || n <= 0 || k <= 0)
        return 0;
    return 2 * m * n * k / (hw->peak * hw->gemm_eff * filled(m) * filled(n) * filled(k));
}

double hardware_stream(const struct hardware *hw, double bytes)
{
    return bytes / (hw->hbm * hw->memory_eff);
}

// Returns the ranks of a group that share a node; neighbours are `stride` devices apart.
static int64_t ranks_in_node(const struct hardware *hw, int64_t ranks, int64_t stride)
{
    if (stride >= hw->node)
        return 1;
    int64_t places = hw->node / stride;
    return places < ranks ? places : ranks;
}

double hardware_gather(const struct hardware *hw, int64_t ranks, int64_t stride, double bytes)
{
    if (ranks <= 1)
        return 0;
    int64_t inside = ranks_in_node(hw, ranks, stride);
    // Every device of the group within a node adds its own link to other nodes.
    double rate = inside >= ranks ? hw->intra : fmin(hw->intra, (double)inside * hw->inter);
    double n = (double)ranks;
    return (n - 1) / n * bytes / (rate * hw->link_eff) + hw->alpha * detmath_log2(n);
}

double hardware_all_to_all(const struct hardware *hw, int64_t ranks, double bytes)
{
    if (ranks <= 1)
        return 0;
    int64_t inside = ranks_in_node(hw, ranks, 1);
    double n = (double)ranks, in = (double)inside;
    double within = bytes / (hw->intra * hw->link_eff);
    if (inside >= ranks)
        return (n - 1) / n * within + hw->alpha;
    double across = bytes / (hw->inter * hw->link_eff);
    return fmax((in - 1) / n * within, (n - in) / n * across) + hw->alpha;
}
