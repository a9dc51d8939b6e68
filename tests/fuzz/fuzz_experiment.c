// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a whole experiment with its documents inside, and the first steps through its
// space. For kernels with documents, whose points are fast, also computes rows.
#include "tests/fuzz/support/bytes.h"

#include "engine/experiment/experiment.h"
#include "engine/run/row_maker.h"
#include "kernels/registry.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

// An experiment may name a document by any path, including stdin.
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return freopen("/dev/null", "r", stdin) == NULL;
}

static void walk(const struct pps_experiment *e)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    struct pps_left_out left_out[PPS_MAX_REASONS] = {{0, 0}};
    if (cursor == NULL)
        return;
    const uint64_t starts[] = {0, e->n_points / 3, e->n_points - 1};
    for (int s = 0; s < 3; s++) {
        const uint64_t left = e->n_points - starts[s];
        pps_cursor_seek(cursor, &e->space, starts[s]);
        for (int i = 0; i < 20; i++) {
            if (!pps_cursor_next(cursor, starts[s] + (left < 100 ? left : 100), left_out))
                break;
            pps_cursor_step(cursor);
        }
    }
    free(cursor);
}

static void make_rows(const struct pps_experiment *e)
{
    static const atomic_bool never;
    const uint64_t n = e->n_points < 64 ? e->n_points : 64;
    struct pps_rowmaker *maker;
    struct pps_rows rows;
    struct pps_error err;
    if (e->kernel->n_slots == 0 || n == 0)
        return;
    if (pps_rowmaker_open(&maker, &(struct pps_row_settings){.experiment = e, .n_best = 3},
                          &err) == PPS_OK &&
        pps_rowmaker_make(maker, 0, n, &never, &rows, &err) != PPS_OK)
        abort();
    pps_rowmaker_close(maker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const struct bytes_file file = bytes_open(data, n);
    const struct pps_request request = {.kernels = pps_kernels,
                                        .path = file.path,
                                        .digits = PPS_DEFAULT_DIGITS};
    struct pps_experiment *experiment;
    struct pps_error err;
    if (pps_experiment_load(&experiment, &request, &err) == PPS_OK) {
        walk(experiment);
        make_rows(experiment);
        pps_experiment_free(experiment);
    }
    bytes_close(&file);
    return 0;
}
