// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a file of points.
#include "bytes.h"

#include "engine/points.h"
#include "kernels/registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    struct pps_axis axis;
    struct pps_error err;
    uint64_t digest;
    double point[PPS_MAX_PARAMS];
    if (pps_points_load(&axis, pps_kernels[0], file.path, &digest, &err) == PPS_OK)
        for (uint64_t i = 0; i < axis.count; i++)
            pps_axis_place(&axis, pps_kernels[0]->params, NULL, i, point, NULL);
    pps_axis_free(&axis);
    bytes_close(&file);
    return 0;
}
