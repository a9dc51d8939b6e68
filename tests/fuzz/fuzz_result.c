// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a result, plain or gzip, read to its end.
#include "tests/fuzz/support/bytes.h"

#include "engine/read/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    struct pps_result *result;
    struct pps_error err;
    const struct pps_cell *cells = NULL;
    if (pps_result_open(&result, file.path, &err) == PPS_OK) {
        double value;
        while (pps_result_next(result, &cells, &err) == PPS_OK && cells != NULL)
            (void)pps_cell_number(cells[0], &value);
    }
    pps_result_close(result);
    bytes_close(&file);
    return 0;
}
