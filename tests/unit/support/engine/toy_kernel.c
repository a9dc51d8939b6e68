// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/toy_kernel.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct toy_shared {
    double box[256][2]; // size, weight
    double room[256];
    double factor;
};

static int n_open;

// ---- documents --------------------------------------------------------------------------------

static bool toy_fault(struct pps_fault *fault, int document, const cJSON *item, bool at_key,
                      const char *text)
{
    *fault = (struct pps_fault){.document = document, .item = item, .at_key = at_key};
    snprintf(fault->text, sizeof fault->text, "%s", text);
    return false;
}

// Reads a number if the document has it.
static bool toy_number(const struct pps_document *document, int number, const char *key,
                       double *value, struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(document->root, key);
    if (item == NULL)
        return true;
    if (!cJSON_IsNumber(item) || item->valuedouble < 0)
        return toy_fault(fault, number, item, false, "expected a number from 0 up");
    *value = item->valuedouble;
    return true;
}

static bool toy_keys(const struct pps_document *document, int number, const char *const keys[2],
                     struct pps_fault *fault)
{
    const cJSON *item;
    cJSON_ArrayForEach (item, document->root) {
        if (strcmp(item->string, "name") != 0 && strcmp(item->string, keys[0]) != 0 &&
            strcmp(item->string, keys[1]) != 0)
            return toy_fault(fault, number, item, true, "no such key");
    }
    return true;
}

static bool toy_read(struct toy_shared *shared, const struct pps_document *documents, int d,
                     int i, struct pps_fault *fault)
{
    static const char *const keys[][2] = {{"size", "weight"},
                                          {"room", "room"},
                                          {"factor", "factor"}};
    const struct pps_document *document = &documents[d];
    if (!toy_keys(document, d, keys[document->slot], fault))
        return false;
    if (document->slot == TOY_SLOT_PLACE)
        return toy_number(document, d, "room", &shared->room[i], fault);
    if (document->slot == TOY_SLOT_WAY)
        return toy_number(document, d, "factor", &shared->factor, fault);
    shared->box[i][0] = 4;
    if (cJSON_GetObjectItemCaseSensitive(document->root, "weight") == NULL)
        return toy_fault(fault, d, NULL, false, "a box has a weight");
    return toy_number(document, d, "size", &shared->box[i][0], fault) &&
           toy_number(document, d, "weight", &shared->box[i][1], fault);
}

static bool toy_open(const struct pps_document *documents, int n, void **out,
                     struct pps_fault *fault)
{
    struct toy_shared *shared = calloc(1, sizeof *shared);
    int next[3] = {0};
    shared->factor = 1;
    for (int d = 0; d < n; d++) {
        shared->room[next[TOY_SLOT_PLACE]] = 100;
        if (toy_read(shared, documents, d, next[documents[d].slot]++, fault))
            continue;
        free(shared);
        return false;
    }
    *out = shared;
    n_open++;
    return true;
}

static void toy_close(void *shared)
{
    free(shared);
    n_open--;
}

static void toy_values(const void *opened, int slot, int i, double *values)
{
    const struct toy_shared *shared = opened;
    if (slot == TOY_SLOT_BOX)
        memcpy(values, shared->box[i], sizeof shared->box[i]);
    else
        *values = slot == TOY_SLOT_PLACE ? shared->room[i] : shared->factor;
}

// ---- points -----------------------------------------------------------------------------------

static size_t toy_scratch(const double *highest, const void *shared)
{
    (void)highest;
    (void)shared;
    return 64;
}

static int toy_check(const double *point, const void *shared)
{
    (void)shared;
    return point[TOY_X] > 50 ? 1 : 0;
}

static double toy_cost(const double *point, const void *shared)
{
    (void)point;
    (void)shared;
    return 100;
}

static void toy_put(const struct pps_batch *batch, size_t i, double need, double time,
                    const char *answer)
{
    const double values[] = {[TOY_TIME] = time, [TOY_NEED] = need, [TOY_DETAIL] = time / 2};
    for (int c = 0; c < TOY_COLUMNS; c++)
        if (batch->column[c] != NULL)
            batch->column[c][i] = values[c];
    if (batch->text[TOY_ANSWER] != NULL)
        strcpy(batch->text[TOY_ANSWER] + i * 7, answer);
}

static void toy_run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    (void)worker;
    for (size_t i = 0; i < batch->n_points; i++) {
        const double x = batch->param[TOY_X][i];
        const double load = batch->param[TOY_SIZE][i] * batch->param[TOY_WEIGHT][i];
        const double need = load * x;
        const bool fits = need <= batch->param[TOY_ROOM][i];
        const double time = load * batch->param[TOY_FACTOR][i] / x;
        toy_put(batch, i, need, fits ? time : (double)NAN, fits ? "yes" : "no");
        batch->outcome[i] = x == 13 ? PPS_FAILED : fits ? PPS_DONE : PPS_INFEASIBLE;
    }
}

// ---- references with wrong results at x = 5 or 9 --------------------------------------------

static void toy_lie_text(const struct pps_batch *batch, const struct pps_worker *worker)
{
    toy_run(batch, worker);
    for (size_t i = 0; i < batch->n_points; i++)
        if (batch->param[TOY_X][i] == 5 && batch->text[TOY_ANSWER] != NULL)
            strcpy(batch->text[TOY_ANSWER] + i * 7, "maybe");
}

static void toy_lie_outcome(const struct pps_batch *batch, const struct pps_worker *worker)
{
    toy_run(batch, worker);
    for (size_t i = 0; i < batch->n_points; i++)
        if (batch->param[TOY_X][i] == 5)
            batch->outcome[i] = PPS_INFEASIBLE;
}

// Changes another result of an infeasible point.
static void toy_lie_need(const struct pps_batch *batch, const struct pps_worker *worker)
{
    toy_run(batch, worker);
    for (size_t i = 0; i < batch->n_points; i++)
        if (batch->param[TOY_X][i] == 9 && batch->column[TOY_NEED] != NULL)
            batch->column[TOY_NEED][i] += 1;
}

// Returns a number where the run has none.
static void toy_lie_empty(const struct pps_batch *batch, const struct pps_worker *worker)
{
    toy_run(batch, worker);
    for (size_t i = 0; i < batch->n_points; i++)
        if (batch->param[TOY_X][i] == 9 && batch->column[TOY_TIME] != NULL)
            batch->column[TOY_TIME][i] = 1;
}

// ---- the tables -------------------------------------------------------------------------------

static const struct pps_param toy_params[TOY_N] = {
    [TOY_BOX] = {.name = "box", .unit = "", .summary = "", .kind = PPS_CHOICE, .max = 1e6},
    [TOY_PLACE] = {.name = "place", .unit = "", .summary = "", .kind = PPS_CHOICE, .max = 1e6},
    [TOY_SIZE] = {.name = "size",
                  .symbol = "S",
                  .unit = "",
                  .summary = "",
                  .kind = PPS_INTEGER,
                  .fallback = 4,
                  .min = 1,
                  .max = 1000},
    [TOY_WEIGHT] = {.name = "weight",
                    .symbol = "W",
                    .unit = "",
                    .summary = "",
                    .kind = PPS_INTEGER,
                    .max = 1000,
                    .fixed = true},
    [TOY_ROOM] = {.name = "room",
                  .unit = "",
                  .summary = "",
                  .kind = PPS_REAL,
                  .fallback = 100,
                  .max = 1e6},
    [TOY_FACTOR] = {.name = "factor",
                    .unit = "",
                    .summary = "",
                    .kind = PPS_REAL,
                    .fallback = 1,
                    .max = 10},
    [TOY_X] = {.name = "x",
               .unit = "",
               .summary = "",
               .kind = PPS_INTEGER,
               .fallback = 1,
               .min = 1,
               .max = 100},
    [TOY_FAST] = {.name = "fast", .unit = "", .summary = "", .kind = PPS_BOOLEAN, .max = 1},
};

const struct pps_column toy_columns[TOY_COLUMNS] = {
    [TOY_TIME] = {.name = "time",
                  .unit = "",
                  .summary = "",
                  .kind = PPS_COLUMN_REAL,
                  .decimals = 2,
                  .goal = PPS_LOWER},
    [TOY_ANSWER] =
        {.name = "answer", .unit = "", .summary = "", .kind = PPS_COLUMN_TEXT, .text_max = 6},
    [TOY_NEED] = {.name = "need",
                  .unit = "",
                  .summary = "",
                  .kind = PPS_COLUMN_INTEGER,
                  .goal = PPS_HIGHER},
    [TOY_DETAIL] = {.name = "detail",
                    .unit = "",
                    .summary = "",
                    .kind = PPS_COLUMN_REAL,
                    .decimals = 2,
                    .on_request = true},
};

static const char *const toy_reasons[] = {"", "x > 50", NULL};

static const int toy_box_sets[] = {TOY_SIZE, TOY_WEIGHT};
static const int toy_place_sets[] = {TOY_ROOM};
static const int toy_way_sets[] = {TOY_FACTOR};

static const struct pps_slot toy_slots[] = {
    [TOY_SLOT_BOX] = {"box", "", true, TOY_BOX, toy_box_sets, 2, false, NULL},
    [TOY_SLOT_PLACE] = {"place", "", false, TOY_PLACE, toy_place_sets, 1, false, NULL},
    [TOY_SLOT_WAY] = {"way", "", false, -1, toy_way_sets, 1, false, NULL},
};

static const struct pps_preset_axis toy_halves[] = {{"x", "divisors(S)"},
                                                    {"factor", "[0.5, 1]"},
                                                    {0}};
static const char *const toy_half_rules[] = {"x * W < 40", NULL};
static const struct pps_preset_axis toy_fast_axes[] = {{"fast", "[false, true]"}, {0}};
static const char *const toy_no_rules[] = {NULL};

static const struct pps_preset toy_presets[] = {
    {"halves", "", toy_halves, toy_half_rules},
    {"fast", "", toy_fast_axes, toy_no_rules},
    {0},
};

#define TOY_KERNEL(name_, reference_, presets_)                                                \
    {                                                                                          \
        .name = name_, .summary = "", .source = "", .version = "1", .params = toy_params,      \
        .n_params = TOY_N, .columns = toy_columns, .n_columns = TOY_COLUMNS,                   \
        .reasons = toy_reasons, .slots = toy_slots, .n_slots = 3, .presets = presets_,         \
        .open = toy_open, .close = toy_close, .values = toy_values,                            \
        .scratch_bytes = toy_scratch, .check = toy_check, .cost = toy_cost, .run = toy_run,    \
        .reference = reference_, .tolerance = 1e-9                                             \
    }

const struct pps_kernel toy = TOY_KERNEL("toy", toy_run, toy_presets);
static const struct pps_kernel toy_texts = TOY_KERNEL("texts", toy_lie_text, NULL);
static const struct pps_kernel toy_outcomes = TOY_KERNEL("outcomes", toy_lie_outcome, NULL);
static const struct pps_kernel toy_needs = TOY_KERNEL("needs", toy_lie_need, NULL);
static const struct pps_kernel toy_empties = TOY_KERNEL("empties", toy_lie_empty, NULL);

extern const struct pps_kernel pps_kernel_contention, pps_kernel_ndsearch;

// The first kernel is the default, as in the program.
const struct pps_kernel *const test_kernels[] = {
    &pps_kernel_contention, &pps_kernel_ndsearch, &toy,         &toy_texts,
    &toy_outcomes,          &toy_needs,           &toy_empties, NULL};

int toy_n_open(void)
{
    return n_open;
}
