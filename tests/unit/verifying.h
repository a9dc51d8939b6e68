// SPDX-License-Identifier: Apache-2.0
// A small result in a folder of its own, verified, for tests.
#ifndef TEST_VERIFYING_H
#define TEST_VERIFYING_H

#include "results.h"

#include "engine/verify.h"

#include <unistd.h>

// 48 points; a rule leaves out those from 12 to 23.
#define SMALL                                                                                  \
    "{\"n\": [2, 3], \"gpus\": 2, \"sync_freq\": [1, 2], "                                     \
    "\"priority_step\": 0.5, \"where\": \"n > 2 || sync_freq < 2\"}"

// ---- a folder to write in -------------------------------------------------------------------

static char folder[64];

static inline void enter(void)
{
    strcpy(folder, "/tmp/pps-verify-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert_eq(chdir(folder), 0);
}

static inline void leave(void)
{
    char command[128];
    cr_assert_eq(chdir("/"), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static inline unsigned char *slurp(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "%s", path);
    unsigned char *bytes = malloc(1 << 20);
    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static inline void spill(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file != NULL, "%s", path);
    cr_assert_eq(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

// ---- verifying --------------------------------------------------------------------------------

static inline enum pps_status verify_with(const struct pps_verify_ask *ask,
                                          struct pps_verified *verified,
                                          struct pps_error *err)
{
    *err = (struct pps_error){.text = ""};
    const enum pps_status status = pps_verify(ask, verified, err);
    cr_assert(status == PPS_OK || (err->text[0] != '\0' && err->code == status));
    return status;
}

static inline enum pps_status verify(const char *path,
                                     double sample,
                                     struct pps_verified *verified,
                                     struct pps_error *err)
{
    const struct pps_verify_ask ask = {.path = path,
                                       .kernels = TEST_KERNELS,
                                       .version = TEST_VERSION,
                                       .sample = sample,
                                       .threads = 1};
    return verify_with(&ask, verified, err);
}

static inline void passes(const char *path, double sample, struct pps_verified *verified)
{
    struct pps_error err;
    cr_assert_eq(verify(path, sample, verified, &err), PPS_OK, "%s: %s: %s", path, err.file,
                 err.text);
}

// The fault is told in these words.
static inline void fails(const char *path,
                         double sample,
                         enum pps_status status,
                         const char *words)
{
    struct pps_verified verified;
    struct pps_error err;
    char line[sizeof err.file + sizeof err.text + 2];
    cr_assert_eq(verify(path, sample, &verified, &err), status, "%s: %s: %s", path, err.file,
                 err.text);
    snprintf(line, sizeof line, "%s: %s", err.file, err.text);
    cr_assert(strstr(line, words) != NULL, "\"%s\" does not say \"%s\"", line, words);
}

#endif
