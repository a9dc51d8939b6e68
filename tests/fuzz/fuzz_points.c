// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a file of points, and its bytes as a number.
#include "tests/fuzz/support/bytes.h"

#include "base/text/decimal_read.h"
#include "engine/axes/point_file.h"
#include "kernels/registry.h"

#include <string.h>

// The number must equal the result of strtod.
static void check_number(const uint8_t *data, size_t n)
{
    char text[PPS_DECIMAL_LONGEST + 1], *end;
    double value;
    n = n < PPS_DECIMAL_LONGEST ? n : PPS_DECIMAL_LONGEST;
    memcpy(text, data, n);
    text[n] = '\0';
    if (!pps_decimal_read(text, n, &value))
        return;
    const double wanted = strtod(text, &end);
    if (end != text + n || memcmp(&value, &wanted, sizeof value) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    struct pps_axis axis;
    struct pps_error err;
    uint64_t digest;
    double point[PPS_MAX_PARAMS];
    if (n > 0)
        check_number(data, n);
    if (pps_points_load(&axis, pps_kernels[0], file.path, &digest, &err) == PPS_OK)
        for (uint64_t i = 0; i < axis.count; i++)
            pps_axis_place(&axis, pps_kernels[0]->params, NULL, i, point, NULL);
    pps_axis_free(&axis);
    bytes_close(&file);
    return 0;
}
