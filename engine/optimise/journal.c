// SPDX-License-Identifier: Apache-2.0
// Opens and reads the journal of a search: a record log with a record for each point in the order of
// evaluation: its values, a tab, its results.
#include "engine/optimise/evaluation.h"

#include "base/text/grow_list.h"

#include <stdlib.h>
#include <string.h>

// Adds the point of a record of n characters.
static enum pps_status add_record(struct pps_evaluation *ev, const char *record, size_t n,
                                  struct pps_error *err)
{
    const char *tab = memchr(record, '\t', n);
    uint32_t id = UINT32_MAX;
    char **results =
        pps_grow(ev->old_results, &ev->old_room, ev->n_old + 1, sizeof *ev->old_results);
    if (results == NULL)
        return pps_fail_memory(err, "the journal");
    ev->old_results = results;
    enum pps_status status =
        tab == NULL
            ? PPS_OK
            : pps_string_pool_add(&ev->old_keys, record, (size_t)(tab - record), &id, err);
    if (status == PPS_OK && id != ev->n_old)
        status =
            pps_fail(err, PPS_E_INPUT,
                     "%s: record %zu is not of a new point; --force without --resume starts "
                     "again",
                     ev->journal.path, ev->n_old + 1);
    if (status != PPS_OK)
        return status;
    results[ev->n_old] = strndup(tab + 1, n - (size_t)(tab + 1 - record)); // with the newline
    if (results[ev->n_old] == NULL)
        return pps_fail_memory(err, "the journal");
    ev->n_old++;
    return PPS_OK;
}

enum pps_status pps_evaluation_open(struct pps_evaluation *ev, const char *path,
                                    const char *search, bool resume, bool force,
                                    struct pps_error *err)
{
    const struct pps_record_log_ask ask = {.path = path,
                                           .identity = search,
                                           .work = "search",
                                           .other = "it belongs to another search",
                                           .resume = resume,
                                           .force = force};
    const char *record;
    size_t n;
    enum pps_status status = pps_record_log_open(&ev->journal, &ask, err);
    while (status == PPS_OK && pps_record_log_next(&ev->journal, &record, &n))
        status = add_record(ev, record, n, err);
    return status;
}

void pps_evaluation_close(struct pps_evaluation *ev)
{
    pps_record_log_close(&ev->journal);
    for (size_t i = 0; i < ev->n; i++)
        free(ev->points[i].results);
    for (size_t i = 0; i < ev->n_old; i++)
        free(ev->old_results[i]);
    free(ev->points);
    free(ev->old_results);
    pps_string_pool_free(&ev->keys);
    pps_string_pool_free(&ev->old_keys);
    *ev = (struct pps_evaluation){.n = 0};
}
