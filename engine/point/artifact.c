// SPDX-License-Identifier: Apache-2.0
// Writes artifacts of single points.
#include "engine/point/artifact.h"

#include "base/system/machine.h"
#include "base/text/nearest.h"
#include "base/write/new_file.h"
#include "engine/experiment/kernel_calls.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARTIFACTS = 32 }; // listed in a message

// ---- one point --------------------------------------------------------------------------------

enum pps_status pps_point_worker(const struct pps_kernel *kernel, const double *point,
                                 const atomic_bool *stop, struct pps_worker *worker,
                                 struct pps_error *err)
{
    const size_t bytes = kernel->scratch_bytes(point, kernel->shared);
    *worker = (struct pps_worker){.stop = stop, .exact = true, .shared = kernel->shared};
    if (bytes == SIZE_MAX || (double)bytes > 0.8 * pps_machine_memory())
        return pps_fail(err, PPS_E_INPUT, "the point needs more memory than this machine has");
    worker->scratch = pps_scratch_take(bytes);
    if (worker->scratch == NULL)
        return pps_fail_memory(err, "the scratch of %s", kernel->name);
    return PPS_OK;
}

enum pps_status pps_point_outcome(enum pps_outcome outcome, const char *what, const char *why,
                                  struct pps_error *err)
{
    const char *colon = why[0] != '\0' ? ": " : "";
    switch (outcome) {
    case PPS_FAILED:
        return pps_fail(err, PPS_E_POINTS, "the kernel could not finish %s%s%s", what, colon,
                        why);
    case PPS_INFEASIBLE:
        return pps_fail(err, PPS_E_INFEASIBLE, "the point is infeasible%s%s", colon, why);
    case PPS_STOPPED:
        return pps_fail(err, PPS_E_STOPPED, "stopped");
    case PPS_NO_MEMORY:
        return pps_fail_memory(err, "%s", what);
    case PPS_DONE:
        break;
    }
    return PPS_OK;
}

// ---- artifacts --------------------------------------------------------------------------------

enum pps_status pps_artifact_find(const struct pps_kernel *kernel, const char *name, int *which,
                                  struct pps_error *err)
{
    const char *names[MOST_ARTIFACTS];
    char list[512] = "";
    size_t n = 0, at = 0;
    for (const struct pps_artifact *a = kernel->artifacts; a != NULL && a->name != NULL; a++) {
        *which = (int)(a - kernel->artifacts);
        if (strcmp(a->name, name) == 0)
            return PPS_OK;
        if (n < MOST_ARTIFACTS && at < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", n > 0 ? ", " : "",
                                   a->name);
        if (n < MOST_ARTIFACTS)
            names[n++] = a->name;
    }
    if (n == 0)
        return pps_fail(err, PPS_E_INPUT, "--as %s: the kernel %s has no artifacts", name,
                        kernel->name);
    const struct pps_hint hint = pps_did_you_mean(name, names, n);
    return pps_fail(err, PPS_E_INPUT, "--as %s: %s has no artifact of this name%s%s%s", name,
                    kernel->name, hint.text, hint.text[0] == '\0' ? "; it has " : "",
                    hint.text[0] == '\0' ? list : "");
}

static void append(void *self, const char *text, size_t n)
{
    fwrite(text, 1, n, self); // the file reports errors when it is closed
}

static enum pps_status run(const struct pps_kernel *kernel, int which, const double *point,
                           const atomic_bool *stop, FILE *out, struct pps_error *err)
{
    const struct pps_text_sink sink = {out, append};
    struct pps_fault fault = {.document = 0};
    struct pps_worker worker;
    enum pps_status status = pps_point_worker(kernel, point, stop, &worker, err);
    if (status != PPS_OK)
        return status;
    const enum pps_outcome outcome =
        pps_kernel_artifact(kernel, point, which, &worker, &sink, &fault);
    free(worker.scratch);
    return pps_point_outcome(outcome, kernel->artifacts[which].name, fault.text, err);
}

enum pps_status pps_artifact_write(const struct pps_kernel *kernel, int which,
                                   const double *point, const struct pps_artifact_file *to,
                                   struct pps_error *err)
{
    struct pps_new_file file;
    char *text = NULL;
    size_t n;
    enum pps_status status = pps_new_file_open(&file, to->path, to->gate, err);
    if (status != PPS_OK)
        return status;
    // In memory first: standard output receives all of the text, or nothing.
    FILE *memory = open_memstream(&text, &n);
    status = memory != NULL ? run(kernel, which, point, to->stop, memory, err)
                            : pps_fail_memory(err, "the artifact");
    if (memory != NULL && fclose(memory) != 0 && status == PPS_OK)
        status = pps_fail_memory(err, "the artifact");
    if (status == PPS_OK)
        fwrite(text, 1, n, file.out);
    free(text);
    return pps_new_file_end(&file, status, err);
}
