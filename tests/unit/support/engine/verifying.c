// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/verifying.h"

#include "tests/unit/support/engine/toy_kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const atomic_bool never; // a stop flag

enum pps_status verify_with(const struct pps_verify_ask *ask, struct pps_verified *verified,
                            struct pps_error *err)
{
    *err = (struct pps_error){.text = ""};
    const enum pps_status status = pps_verify(ask, verified, err);
    cr_assert(status == PPS_OK || (err->text[0] != '\0' && err->code == status));
    return status;
}

enum pps_status verify(const char *path, double sample, struct pps_verified *verified,
                       struct pps_error *err)
{
    const struct pps_verify_ask ask = {.path = path,
                                       .kernels = test_kernels,
                                       .version = TEST_VERSION,
                                       .sample = sample,
                                       .threads = 1,
                                       .stop = &never};
    return verify_with(&ask, verified, err);
}

void passes(const char *path, double sample, struct pps_verified *verified)
{
    struct pps_error err;
    cr_assert_eq(verify(path, sample, verified, &err), PPS_OK, "%s: %s: %s", path, err.file,
                 err.text);
}

void fails(const char *path, double sample, enum pps_status status, const char *words)
{
    struct pps_verified verified;
    struct pps_error err;
    char line[sizeof err.file + sizeof err.text + 2];
    cr_assert_eq(verify(path, sample, &verified, &err), status, "%s: %s: %s", path, err.file,
                 err.text);
    snprintf(line, sizeof line, "%s: %s", err.file, err.text);
    cr_assert(strstr(line, words) != NULL, "\"%s\" does not say \"%s\"", line, words);
}
