// SPDX-License-Identifier: Apache-2.0
// Fuzz target: logs of training frameworks, and names of runs. Figures are finite and not negative.
#include "tests/fuzz/support/bytes.h"

#include "planner/profiles/log_file.h"
#include "planner/profiles/log_line.h"
#include "planner/profiles/run_folders.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_name(const uint8_t *data, size_t n)
{
    struct run_degrees d;
    char *name = calloc(1, n + 1);
    memcpy(name, data, n);
    if (run_degrees_read(name, &d)) {
        require(d.dp > 0 && d.tp > 0 && d.pp > 0 && run_stage_ranks(&d) > 0);
        require(run_stage_of(&d, run_rank_of_path(name)) < d.pp);
    }
    free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    struct log_file log;
    struct pps_error err;
    check_name(data, n);
    if (log_file_read(&log, file.path, -1, &err) == PPS_OK)
        for (size_t k = 0; k < log.n_peaks; k++) {
            const struct log_peak *peak = &log.peaks[k];
            require(isfinite(log_peak_mb(peak)) && log_peak_mb(peak) > 0 && peak->line > 0);
            require(peak->used_mb >= 0 && peak->held_mb >= 0 && peak->theory_mb >= 0);
        }
    log_file_free(&log);
    bytes_close(&file);
    return 0;
}
