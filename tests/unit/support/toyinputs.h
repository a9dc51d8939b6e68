// SPDX-License-Identifier: Apache-2.0
// Experiments of the toy kernel in a folder with documents, for tests.
#ifndef TEST_TOYINPUTS_H
#define TEST_TOYINPUTS_H

#include "toykernel.h"

#include "files.h"

#include "engine/experiment/documents.h"
#include "engine/experiment/experiment.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

// ---- experiments in a folder --------------------------------------------------------------------

static inline void set_up(void)
{
    enter();
    spill("small.json", "{\"size\": 2, \"weight\": 3}");
    spill("large.json", "{\"name\": \"crate\", \"weight\": 5,\n \"size\": 10}\n");
    spill("hall.json", "{\"room\": 70.5}");
    cr_assert_eq(mkdir("deep", 0700), 0);
    spill("deep/box.json", "{\"weight\": 1}");
}

// Everything opened is closed, in every case.
static inline void tear_down(void)
{
    leave();
    cr_assert_eq(toy_opened, toy_closed, "%d opened, %d closed", toy_opened, toy_closed);
}

static inline enum pps_status load(struct pps_experiment **e,
                                   const char *path,
                                   const char *text,
                                   const char *const *words,
                                   struct pps_error *err)
{
    struct pps_request request = {.kernels = toy_kernels,
                                  .path = path,
                                  .digits = PPS_DEFAULT_DIGITS,
                                  .inputs = {.words = words}};
    while (words != NULL && words[request.inputs.n] != NULL)
        request.inputs.n++;
    spill(path, text);
    *err = (struct pps_error){.text = ""};
    return pps_experiment_load(e, &request, err);
}

static inline struct pps_experiment *good(const char *text, const char *const *words)
{
    struct pps_experiment *e;
    struct pps_error err;
    const enum pps_status status = load(&e, "e.json", text, words, &err);
    cr_assert_eq(status, PPS_OK, "%s: %s:%d:%d: %s", text, err.file, err.line, err.column,
                 err.text);
    return e;
}

// Compares with FILE:LINE:COLUMN: TEXT, as main prints it; an unknown line or column is absent.
static inline void is_refused(const char *path,
                              const char *text,
                              const char *const *words,
                              const char *said)
{
    struct pps_experiment *e;
    struct pps_error err;
    char line[8192], place[64] = "";
    cr_assert_eq(load(&e, path, text, words, &err), PPS_E_INPUT, "%s: not refused", text);
    if (err.line > 0)
        snprintf(place, sizeof place, ":%d:%d", err.line, err.column);
    snprintf(line, sizeof line, "%s%s%s%s", err.file, place, err.file[0] ? ": " : "", err.text);
    cr_assert_str_eq(line, said,
                     "%s\n"
                     "got  %s\n"
                     "expected %s",
                     text, line, said);
    pps_experiment_free(e);
}

static inline void has_point(const struct pps_experiment *e,
                             uint64_t index,
                             int p,
                             double value)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    pps_cursor_seek(cursor, &e->space, index);
    cr_assert_eq(cursor->point[p], value, "point %d: %s is %g, not %g", (int)index,
                 e->kernel->params[p].name, cursor->point[p], value);
    free(cursor);
}

static inline void has_header(const struct pps_experiment *e, const char *header)
{
    char *text = pps_experiment_header(e);
    cr_assert_str_eq(text, header);
    free(text);
}

static inline const char *box_name(const struct pps_experiment *e, int i)
{
    return e->kernel->params[TOY_BOX].names[i];
}

#define SMALL(rest_) "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"small.json\"}" rest_ "}"

#endif
