// SPDX-License-Identifier: Apache-2.0
// Reads the lists of a strategy that a user writes, and its layout.
#include "kernels/balance/documents/manual_private.h"
#include "kernels/common/plan/layout_text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { MANUAL_LAYERS_MOST = 1000000 };

// ---- the layout ---------------------------------------------------------------------------------

// Checks a layout of n stages against the entry and the model.
static bool check_layout(struct manual_reader *r, const int64_t *mtp, size_t n, int64_t chunks)
{
    const cJSON *item = r->items.item[MANUAL_LAYOUT];
    const char *why;
    int64_t sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += r->layout[k] += mtp[k];
    if (!layout_text_fits(mtp, n, (size_t)r->stages, &why))
        return pps_fault_set(r->fault, item, false,
                             "layout: %zu stages on %d pipeline stages: %s", n, r->stages, why);
    if (chunks > 0 && chunks != (int64_t)n / r->stages)
        return pps_fault_set(r->fault, item, false,
                             "layout: %zu stages are %d chunks of %d pipeline stages, but "
                             "interleave_num is %lld",
                             n, (int)n / r->stages, r->stages, (long long)chunks);
    if (sum != r->layers->layers)
        return pps_fault_set(r->fault, item, false, "layout: %lld layers, expected %d",
                             (long long)sum, r->layers->layers);
    r->chunks = (int32_t)n / r->stages;
    return true;
}

bool manual_read_layout(struct manual_reader *r, int64_t chunks)
{
    const cJSON *item = r->items.item[MANUAL_LAYOUT];
    const char *why;
    if (item == NULL)
        return true;
    if (r->items.item[BALANCE_OFFSET] != NULL)
        return pps_fault_set(r->fault, item, true,
                             "layout: the strategy also has an offset; "
                             "remove one of them");
    if (!cJSON_IsString(item))
        return pps_fault_set(r->fault, item, false,
                             "layout: expected a text such as \"Et*3|(tt|)*29L\"");
    r->fault->text[0] = '\0';
    r->layout = calloc(2 * (size_t)MANUAL_CHUNKS_MOST, sizeof *r->layout);
    if (r->layout == NULL)
        return false;
    int64_t *mtp = r->layout + MANUAL_CHUNKS_MOST;
    const size_t n =
        layout_text_read(item->valuestring, r->layout, mtp, MANUAL_CHUNKS_MOST, &why);
    if (n == 0)
        return pps_fault_set(r->fault, item, false, "layout: %s", why);
    return check_layout(r, mtp, n, chunks);
}

// ---- lists --------------------------------------------------------------------------------------

static const char *key_of(int which)
{
    return balance_list_names[which];
}

static bool is_rows(const cJSON *item)
{
    return cJSON_IsArray(item) && (item->child == NULL || cJSON_IsArray(item->child));
}

static bool read_row(struct manual_reader *r, int which, const cJSON *row, int32_t *list)
{
    const int n = cJSON_IsArray(row) ? cJSON_GetArraySize(row) : -1;
    const cJSON *item;
    if (n < 0)
        return pps_fault_set(r->fault, row, false, "%s: expected a list of %d numbers",
                             key_of(which), r->stages);
    if (n != r->stages)
        return pps_fault_set(r->fault, row, false, "%s: a list of %d numbers, expected %d%s",
                             key_of(which), n, r->stages,
                             r->stages > 1 ? ", one per stage" : "");
    cJSON_ArrayForEach (item, row) {
        const double x = cJSON_IsNumber(item) ? item->valuedouble : 0.5;
        if (!(x >= -MANUAL_LAYERS_MOST && x <= MANUAL_LAYERS_MOST) || x != (double)(int32_t)x)
            return pps_fault_set(r->fault, item, false, "%s: expected a whole number of layers",
                                 key_of(which));
        *list++ = (int32_t)x;
    }
    return true;
}

static bool read_rows(struct manual_reader *r, int which, const cJSON *item, int32_t *list)
{
    const cJSON *row;
    if (!is_rows(item) && r->chunks == 1)
        return read_row(r, which, item, list);
    if (!is_rows(item) || cJSON_GetArraySize(item) != r->chunks)
        return pps_fault_set(r->fault, item, false,
                             "%s: %d list%s, expected %d, one per chunk of a stage "
                             "(interleave_num)",
                             key_of(which), is_rows(item) ? cJSON_GetArraySize(item) : 1,
                             is_rows(item) && cJSON_GetArraySize(item) != 1 ? "s" : "",
                             r->chunks);
    cJSON_ArrayForEach (row, item) {
        if (!read_row(r, which, row, list))
            return false;
        list += r->stages;
    }
    return true;
}

static bool read_list(struct manual_reader *r, int which)
{
    const cJSON *item = r->items.item[which];
    const int32_t n = r->stages * r->chunks, base = r->layers->layers / n;
    int32_t *list = r->list[which];
    if (which == BALANCE_OFFSET && r->layout != NULL) {
        for (int32_t k = 0; k < n; k++)
            list[k] = (int32_t)r->layout[k] - base;
        return true;
    }
    for (int32_t k = 0; k < n; k++)
        list[k] = which != BALANCE_OFFSET && cJSON_IsTrue(item)
                      ? base + r->list[BALANCE_OFFSET][k]
                      : 0;
    if (item == NULL || (cJSON_IsNumber(item) && item->valuedouble == 0) ||
        (which != BALANCE_OFFSET && cJSON_IsBool(item)))
        return true;
    if (!cJSON_IsArray(item))
        return pps_fault_set(r->fault, item, false,
                             which == BALANCE_OFFSET
                                 ? "%s: expected 0, or %d list%s of %d numbers"
                                 : "%s: expected true, false, or %d list%s of %d numbers",
                             key_of(which), r->chunks, r->chunks > 1 ? "s" : "", r->stages);
    return read_rows(r, which, item, list);
}

// Returns the number of a list, or the whole value if it has no lists.
static const cJSON *place_of(const struct manual_reader *r, int which, int32_t chunk,
                             int32_t stage)
{
    const cJSON *item = r->items.item[which];
    const cJSON *row = is_rows(item) ? cJSON_GetArrayItem(item, chunk) : item;
    const cJSON *number = cJSON_IsArray(row) ? cJSON_GetArrayItem(row, stage) : NULL;
    return number != NULL ? number : item;
}

static bool fail_misplaced(const struct manual_reader *r, const struct balance_misplaced *wrong)
{
    const int32_t parts = r->stages * r->chunks;
    if (wrong->stage < 0)
        return pps_fault_set(r->fault, r->items.item[BALANCE_OFFSET], false,
                             "offset: the sum is %lld, expected %lld: %d layers in %d parts of "
                             "%d leave %lld",
                             (long long)wrong->layers, (long long)wrong->wanted,
                             r->layers->layers, parts, r->layers->layers / parts,
                             (long long)wrong->wanted);
    const cJSON *item = place_of(r, (int)wrong->list, wrong->chunk, wrong->stage);
    if (wrong->list == BALANCE_OFFSET)
        return pps_fault_set(r->fault, item, false,
                             "offset: chunk %d of stage %d would have %lld layers, expected 0 "
                             "to %d",
                             wrong->chunk, wrong->stage, (long long)wrong->layers,
                             r->layers->layers);
    return pps_fault_set(
        r->fault, item, false, "%s: %d layers, but chunk %d of stage %d has %lld",
        key_of((int)wrong->list), r->list[wrong->list][wrong->chunk * r->stages + wrong->stage],
        wrong->chunk, wrong->stage, (long long)wrong->layers);
}

// Refuses kinds without known memory.
static bool check_kinds(const struct manual_reader *r, const struct balance_strategy *strategy)
{
    static const int list_of[] = {
        [BALANCE_NONE] = BALANCE_OFFSET,           [BALANCE_SELECT] = BALANCE_LIST_SELECT,
        [BALANCE_SELECT_COMM] = BALANCE_LIST_COMM, [BALANCE_BOTH] = BALANCE_LIST_SELECT,
        [BALANCE_FULL] = BALANCE_LIST_FULL,
    };
    for (int kind = 0; kind < BALANCE_KINDS; kind++)
        for (int32_t k = 0; !r->layers->has[kind] && k < r->stages * r->chunks; k++) {
            const int32_t chunk = k / r->stages, stage = k % r->stages;
            const int32_t n =
                strategy->count[balance_at(strategy, (enum balance_kind)kind, chunk, stage)];
            if (n > 0)
                return pps_fault_set(r->fault, place_of(r, list_of[kind], chunk, stage), false,
                                     "%s: %d layer%s of chunk %d of stage %d would have kind "
                                     "`%s`, whose memory the layers do not contain",
                                     key_of(list_of[kind]), n, n > 1 ? "s" : "", chunk, stage,
                                     balance_kind_names[kind]);
        }
    return true;
}

bool manual_read_lists(struct manual_reader *r, struct balance_strategy *strategy)
{
    struct balance_misplaced wrong;
    for (int which = 0; which < BALANCE_LISTS; which++)
        if (!read_list(r, which))
            return false;
    const struct balance_lists lists = {r->list[BALANCE_OFFSET], r->list[BALANCE_LIST_FULL],
                                        r->list[BALANCE_LIST_SELECT],
                                        r->list[BALANCE_LIST_COMM]};
    if (!balance_from_lists(r->layers, &lists, strategy, &wrong))
        return fail_misplaced(r, &wrong);
    return check_kinds(r, strategy);
}
