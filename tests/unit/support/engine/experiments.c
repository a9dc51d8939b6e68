// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/experiments.h"

#include "tests/unit/support/engine/toy_kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool with_status;

void load_with_status(bool is_on)
{
    with_status = is_on;
}

enum pps_status load_text(const char *text, struct pps_experiment **experiment,
                          struct pps_error *err)
{
    char path[] = "/tmp/pps-experiment-XXXXXX";
    const int fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");
    fputs(text, out);
    fclose(out);
    const struct pps_request request = {.kernels = test_kernels,
                                        .path = path,
                                        .digits = PPS_DEFAULT_DIGITS,
                                        .status = with_status};
    const enum pps_status status = pps_experiment_load(experiment, &request, err);
    unlink(path);
    return status;
}

struct pps_experiment *load_good(const char *text)
{
    struct pps_experiment *experiment;
    struct pps_error err = {.text = ""};
    const enum pps_status status = load_text(text, &experiment, &err);
    cr_assert_eq(status, PPS_OK, "%s: %d:%d: %s", text, err.line, err.column, err.text);
    return experiment;
}
