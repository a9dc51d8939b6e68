// SPDX-License-Identifier: Apache-2.0
// Implements errors, versions, threads and stop flags of the C library.
#include "engine/library/library_private.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int ppsweep_abi(void)
{
    return PPSWEEP_ABI;
}

const char *ppsweep_version(void)
{
    return PPS_VERSION;
}

// ---- errors -----------------------------------------------------------------------------------

static int code_of(enum pps_status status)
{
    static const int codes[] = {
        [PPS_OK] = PPSWEEP_OK,
        [PPS_E_MACHINE] = PPSWEEP_E_MACHINE,
        [PPS_E_WRONG] = PPSWEEP_E_WRONG,
        [PPS_E_INPUT] = PPSWEEP_E_INPUT,
        [PPS_E_INFEASIBLE] = PPSWEEP_E_INFEASIBLE,
        [PPS_E_POINTS] = PPSWEEP_E_POINTS,
        [PPS_E_STOPPED] = PPSWEEP_E_STOPPED,
    };
    return codes[status];
}

int pps_library_error(struct ppsweep_error *error, const struct pps_error *err)
{
    if (error != NULL) {
        error->code = code_of(err->code);
        error->line = err->line;
        error->column = err->column;
        snprintf(error->file, sizeof error->file, "%s", err->file);
        snprintf(error->text, sizeof error->text, "%s", err->text);
    }
    return code_of(err->code);
}

int pps_library_fail(struct ppsweep_error *error, int code, const char *format, ...)
{
    va_list args;
    if (error == NULL)
        return code;
    *error = (struct ppsweep_error){.code = code};
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return code;
}

bool pps_library_size(size_t size, size_t known, const char *name, struct ppsweep_error *error)
{
    if (size == known)
        return true;
    pps_library_fail(error, PPSWEEP_E_CALL,
                     "size of struct %s: expected %zu (got %zu); compile the program with the "
                     "header of this library",
                     name, known, size);
    return false;
}

// ---- threads ----------------------------------------------------------------------------------

int pps_library_thread(pthread_t *thread, void *(*work)(void *), void *self)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(thread, NULL, work, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

// ---- stop flags -------------------------------------------------------------------------------

struct ppsweep_stop *ppsweep_stop_open(void)
{
    struct ppsweep_stop *stop = malloc(sizeof *stop);
    if (stop != NULL)
        atomic_init(&stop->raised, false);
    return stop;
}

void ppsweep_stop_close(struct ppsweep_stop *stop)
{
    free(stop);
}

const atomic_bool *pps_library_stop(const struct ppsweep_stop *stop)
{
    static const atomic_bool never = false;
    return stop != NULL ? &stop->raised : &never;
}

void ppsweep_stop_raise(struct ppsweep_stop *stop)
{
    if (stop != NULL)
        atomic_store_explicit(&stop->raised, true, memory_order_relaxed);
}

void ppsweep_stop_lower(struct ppsweep_stop *stop)
{
    if (stop != NULL)
        atomic_store_explicit(&stop->raised, false, memory_order_relaxed);
}
