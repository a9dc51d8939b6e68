// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/toy_inputs.h"

#include <stdio.h>
#include <stdlib.h>

// ---- experiments in a folder --------------------------------------------------------------------

void set_up(void)
{
    enter();
    spill("small.json", "{\"size\": 2, \"weight\": 3}");
    spill("large.json", "{\"name\": \"crate\", \"weight\": 5,\n \"size\": 10}\n");
    spill("hall.json", "{\"room\": 70.5}");
    cr_assert_eq(mkdir("deep", 0700), 0);
    spill("deep/box.json", "{\"weight\": 1}");
}

void tear_down(void)
{
    leave();
    cr_assert_eq(toy_n_open(), 0, "%d sets of documents are still open", toy_n_open());
}

enum pps_status load(struct pps_experiment **e, const char *path, const char *text,
                     const char *const *words, struct pps_error *err)
{
    struct pps_request request = {.kernels = test_kernels,
                                  .path = path,
                                  .digits = PPS_DEFAULT_DIGITS,
                                  .inputs = {.words = words}};
    while (words != NULL && words[request.inputs.n] != NULL)
        request.inputs.n++;
    spill(path, text);
    *err = (struct pps_error){.text = ""};
    return pps_experiment_load(e, &request, err);
}

struct pps_experiment *good(const char *text, const char *const *words)
{
    struct pps_experiment *e;
    struct pps_error err;
    const enum pps_status status = load(&e, "e.json", text, words, &err);
    cr_assert_eq(status, PPS_OK, "%s: %s:%d:%d: %s", text, err.file, err.line, err.column,
                 err.text);
    return e;
}

void is_refused(const char *path, const char *text, const char *const *words, const char *said)
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
    cr_assert_null(e, "%s: half an experiment is left", text);
}

void has_point(const struct pps_experiment *e, uint64_t index, int p, double value)
{
    struct pps_cursor *cursor = calloc(1, sizeof *cursor);
    pps_cursor_seek(cursor, &e->space, index);
    cr_assert_eq(cursor->point[p], value, "point %d: %s is %g, not %g", (int)index,
                 e->kernel->params[p].name, cursor->point[p], value);
    free(cursor);
}

void has_header(const struct pps_experiment *e, const char *header)
{
    char *text = pps_experiment_header(e);
    cr_assert_str_eq(text, header);
    free(text);
}

const char *box_name(const struct pps_experiment *e, int i)
{
    return e->kernel->params[TOY_BOX].names[i];
}
