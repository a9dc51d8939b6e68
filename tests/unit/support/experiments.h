// SPDX-License-Identifier: Apache-2.0
// Loads experiments from text, for tests.
#ifndef TEST_EXPERIMENTS_H
#define TEST_EXPERIMENTS_H

#include "engine/experiment/experiment.h"
#include "kernels/registry.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The kernels that experiments may name; a test may define its own list.
#ifndef TEST_KERNELS
#define TEST_KERNELS pps_kernels
#endif

static bool with_status; // --status

static inline enum pps_status load_text(const char *text,
                                        struct pps_experiment **experiment,
                                        struct pps_error *err)
{
    char path[] = "/tmp/pps-experiment-XXXXXX";
    const int fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");
    fputs(text, out);
    fclose(out);
    const struct pps_request request = {.kernels = TEST_KERNELS,
                                        .path = path,
                                        .digits = PPS_DEFAULT_DIGITS,
                                        .status = with_status};
    const enum pps_status status = pps_experiment_load(experiment, &request, err);
    unlink(path);
    return status;
}

// Loads a valid experiment; fails the test if loading fails.
static inline struct pps_experiment *load_good(const char *text)
{
    struct pps_experiment *experiment;
    struct pps_error err = {.text = ""};
    const enum pps_status status = load_text(text, &experiment, &err);
    cr_assert_eq(status, PPS_OK, "%s: %d:%d: %s", text, err.line, err.column, err.text);
    return experiment;
}

#endif
