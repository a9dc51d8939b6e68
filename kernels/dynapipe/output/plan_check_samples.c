// SPDX-License-Identifier: Apache-2.0
// Checks that the micro-batches of a plan hold every sample once.
#include "base/document/fault.h"
#include "base/document/json.h"
#include "kernels/dynapipe/output/plan_check_private.h"
#include "kernels/dynapipe/output/plan_write.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MOST = 1 << 30 };

// What micro-batches hold.
struct holding {
    struct plan_reading *r;
    int64_t samples, padded; // tokens with padding
    int32_t n;               // micro-batches
    bool is_given;           // they were ready: each counts as one sample
    uint8_t *is_seen;        // [samples], or [n]; NULL: only counted
};

static bool read_whole(struct plan_reading *r, const cJSON *object, const char *name,
                       int32_t least, int32_t *value)
{
    const cJSON *item = pps_json_member(object, name);
    if (plan_whole_read(item, least, NUMBER_MOST, value))
        return true;
    char text[96];
    snprintf(text, sizeof text, "%s: expected a whole number from %d on", name, (int)least);
    return plan_refuse(r, item != NULL ? item : object, text);
}

// ---- one micro-batch ------------------------------------------------------------------------------

// Counts the rows that samples name; -1: a number is none of `rows`, at most one for each sample.
static int32_t count_rows(const cJSON *list, int32_t rows, uint8_t *is_used)
{
    const cJSON *one;
    int32_t row, used = 0;
    cJSON_ArrayForEach (one, list) {
        if (!plan_whole_read(one, 0, rows - 1, &row))
            return -1;
        used += is_used[row] == 0;
        is_used[row] = 1;
    }
    return used;
}

// Samples that share rows fill all of them.
static bool check_rows(struct plan_reading *r, const cJSON *batch, int32_t rows,
                       int32_t samples)
{
    const cJSON *list = pps_json_member(batch, "row_of_sample");
    if (list == NULL)
        return rows == samples || plan_wrong(r, pps_json_member(batch, "rows"),
                                             "rows: %d samples fill as many rows, not %d",
                                             (int)samples, (int)rows);
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != samples)
        return plan_refuse(r, list, "row_of_sample: expected a row for each sample");
    if (rows > samples)
        return plan_wrong(r, pps_json_member(batch, "rows"),
                          "rows: there are more than samples");
    uint8_t *is_used = calloc((size_t)samples, 1);
    if (is_used == NULL)
        return pps_fault_memory(r->fault);
    const bool fills = count_rows(list, rows, is_used) == rows;
    free(is_used);
    return fills ||
           plan_wrong(r, list, "row_of_sample: the samples do not fill %d rows", (int)rows);
}

static bool has_none(struct holding *h, const cJSON *batch)
{
    return (pps_json_member(batch, "number") == NULL &&
            pps_json_member(batch, "samples") == NULL) ||
           plan_refuse(h->r, batch, "the plan does not say how many samples there are");
}

static bool check_batch(struct holding *h, const cJSON *batch)
{
    struct plan_reading *r = h->r;
    const cJSON *samples = pps_json_member(batch, "samples");
    int32_t rows, input, target;
    if (!read_whole(r, batch, "rows", 1, &rows) || !read_whole(r, batch, "input", 0, &input) ||
        !read_whole(r, batch, "target", 0, &target))
        return false;
    if (!cJSON_IsArray(samples) || samples->child == NULL)
        return plan_refuse(r, samples != NULL ? samples : batch,
                           "samples: expected the numbers of samples");
    if (target > 0 && r->plan.tensors[r->plan.pipeline.stages - 1] == 1)
        return plan_wrong(r, pps_json_member(batch, "target"),
                          "target: a network without decoders has none");
    const int32_t n = cJSON_GetArraySize(samples);
    h->samples += n;
    h->padded += (int64_t)rows * ((int64_t)input + target);
    h->n++;
    return h->is_given && n == 1 ? true : check_rows(r, batch, rows, n);
}

// ---- all of them ----------------------------------------------------------------------------------

static bool each_batch(struct holding *h, const cJSON *root,
                       bool (*take)(struct holding *h, const cJSON *batch))
{
    const cJSON *replica, *batch;
    cJSON_ArrayForEach (replica, pps_json_member(root, "replicas"))
        cJSON_ArrayForEach (batch, pps_json_member(replica, "micro_batches"))
            if (!take(h, batch))
                return false;
    return true;
}

static bool mark(struct holding *h, const cJSON *item, int64_t end, const char *what)
{
    int32_t number;
    if (!plan_whole_read(item, 0, (int32_t)(end - 1), &number))
        return plan_wrong(h->r, item, "%s: there are %lld", what, (long long)end);
    if (h->is_seen[number])
        return plan_wrong(h->r, item, "%s: %d appears twice", what, (int)number);
    h->is_seen[number] = 1;
    return true;
}

static bool mark_samples(struct holding *h, const cJSON *batch)
{
    const cJSON *one;
    cJSON_ArrayForEach (one, pps_json_member(batch, "samples"))
        if (!mark(h, one, h->samples, "samples"))
            return false;
    return true;
}

static bool mark_number(struct holding *h, const cJSON *batch)
{
    const cJSON *number = pps_json_member(batch, "number");
    return number != NULL ? mark(h, number, h->n, "number")
                          : plan_refuse(h->r, batch, "number: missing");
}

// A replica numbers its micro-batches in the order of the division.
static bool check_order(struct holding *h, const cJSON *replica)
{
    const cJSON *batches = pps_json_member(replica, "micro_batches"),
                *order = pps_json_member(replica, "order"), *batch = batches->child, *position;
    const size_t count = (size_t)cJSON_GetArraySize(order);
    double *number = malloc((count + 1) * sizeof *number);
    if (number == NULL)
        return pps_fault_memory(h->r->fault);
    cJSON_ArrayForEach (position, order) {
        number[(size_t)position->valuedouble] = pps_json_member(batch, "number")->valuedouble;
        batch = batch->next;
    }
    size_t k = 1;
    while (k < count && number[k - 1] < number[k])
        k++;
    free(number);
    return k >= count ||
           plan_wrong(h->r, order,
                      "order: micro-batch %zu of the replica has a smaller number "
                      "than the one before it",
                      k);
}

static bool check_orders(struct holding *h, const cJSON *root)
{
    const cJSON *replica;
    cJSON_ArrayForEach (replica, pps_json_member(root, "replicas"))
        if (!check_order(h, replica))
            return false;
    return true;
}

// Every sample and every micro-batch of the division appears once: none twice, so that none is missing.
static bool check_once(struct holding *h, const cJSON *root)
{
    const size_t most = (size_t)(h->samples > h->n ? h->samples : h->n);
    h->is_seen = calloc(most + 1, 1);
    if (h->is_seen == NULL)
        return pps_fault_memory(h->r->fault);
    bool done = each_batch(h, root, mark_samples);
    memset(h->is_seen, 0, most);
    done = done && each_batch(h, root, mark_number);
    free(h->is_seen);
    return done && check_orders(h, root);
}

static bool check_division(struct plan_reading *r, const cJSON *root)
{
    const cJSON *division = pps_json_member(root, "division"), *objective;
    const char *types[DYNAPIPE_RECOMPUTE_TYPES + 1] = {NULL};
    memcpy(types, cost_recompute_names, DYNAPIPE_RECOMPUTE_TYPES * sizeof *types);
    if (!cJSON_IsObject(division))
        return plan_refuse(r, root, "division: missing");
    objective = pps_json_member(division, "objective_ms");
    return plan_states_one_of(r, division, "order", plan_order_names) &&
           plan_states_one_of(r, division, "limit", plan_limit_names) &&
           plan_states_one_of(r, division, "recompute", types) &&
           (cJSON_IsNumber(objective) ||
            plan_refuse(r, division, "objective_ms: expected a number"));
}

static bool check_tokens(struct plan_reading *r, const cJSON *root, double padded)
{
    const cJSON *item = pps_json_member(root, "tokens");
    const double tokens = cJSON_IsNumber(item) ? item->valuedouble : -1,
                 seconds = r->slowest_makespan / 1e6;
    if (!(tokens >= 0) || tokens != floor(tokens))
        return plan_refuse(r, item != NULL ? item : root, "tokens: expected a whole number");
    return plan_states(r, root, "padded_tokens", padded) &&
           plan_states(r, root, "padding_share", padded > 0 ? 1 - tokens / padded : 0) &&
           plan_states(r, root, "tokens_per_s", seconds > 0 ? tokens / seconds : 0);
}

bool plan_check_samples(struct plan_reading *r, const cJSON *root)
{
    const cJSON *order = pps_json_member(pps_json_member(root, "division"), "order");
    struct holding h = {
        .r = r,
        .is_given = cJSON_IsString(order) &&
                    strcmp(order->valuestring, plan_order_names[SPLIT_ORDER_GIVEN]) == 0};
    if (pps_json_member(root, "samples") == NULL) // sizes were drawn
        return each_batch(&h, root, has_none);
    return each_batch(&h, root, check_batch) &&
           plan_states(r, root, "samples", (double)h.samples) &&
           check_tokens(r, root, (double)h.padded) && check_division(r, root) &&
           check_once(&h, root);
}
