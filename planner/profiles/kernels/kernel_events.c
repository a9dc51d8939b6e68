// SPDX-License-Identifier: Apache-2.0
// Keeps the kernels of a device.
#include "planner/profiles/kernels/kernel_events.h"

#include "base/text/grow_list.h"
#include "base/text/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kernel_events_free(struct kernel_events *events)
{
    free(events->rows);
    free(events->counts);
    pps_string_pool_free(&events->names);
    *events = (struct kernel_events){0};
}

// ---- times --------------------------------------------------------------------------------------

bool kernel_events_read_us(const char *text, size_t n, int64_t *ns)
{
    enum { NS_DIGITS = 3, WHOLE_DIGITS = 16 };
    const int64_t most_us = 4000000000000000; // since 1970: the year 2096
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    while (n > 0 && isspace((unsigned char)*text)) {
        text++;
        n--;
    }
    size_t at = n > 0 && *text == '-', from = at, behind = 0;
    int64_t value = 0;
    for (; at < n && isdigit((unsigned char)text[at]) && at - from < WHOLE_DIGITS; at++)
        value = value * 10 + (text[at] - '0');
    const bool is_exact = at > from && value <= most_us;
    if (is_exact && at < n && text[at] == '.')
        for (at++; at < n && isdigit((unsigned char)text[at]); at++)
            if (behind < NS_DIGITS) {
                value = value * 10 + (text[at] - '0');
                behind++;
            }
    if (is_exact && at == n) {
        for (; behind < NS_DIGITS; behind++)
            value *= 10;
        *ns = *text == '-' ? -value : value;
        return true;
    }
    double us; // an exponent, or leading zeros
    if (!number_text_read(text, n, &us) || fabs(us) > (double)most_us)
        return false;
    *ns = (int64_t)(us * 1e3);
    return true;
}

// ---- adding -------------------------------------------------------------------------------------

static enum pps_status count_name(struct kernel_events *events, const struct kernel_row *row,
                                  struct pps_error *err)
{
    char name[KERNEL_NAME_CAP];
    uint32_t id;
    kernel_name_short(name, row->name, row->n);
    const uint32_t before = events->names.n;
    if (before == KERNEL_NAMES_MOST)
        return PPS_OK;
    const enum pps_status status =
        pps_string_pool_add(&events->names, name, strlen(name), &id, err);
    if (status != PPS_OK)
        return status;
    uint64_t *counts =
        pps_grow(events->counts, &events->counts_room, (size_t)id + 1, sizeof *counts);
    if (counts == NULL)
        return pps_fail_memory(err, "the names of kernels");
    events->counts = counts;
    if (events->names.n > before)
        counts[id] = 0;
    counts[id]++;
    return PPS_OK;
}

enum pps_status kernel_events_add(struct kernel_events *events,
                                  const struct kernel_names *names,
                                  const struct kernel_row *row, const char *path,
                                  struct pps_error *err)
{
    const enum kernel_kind kind = kernel_kind_of(names, row->kind_name, row->kind_n);
    const enum pps_status status = count_name(events, row, err);
    events->n_kernels++;
    if (status != PPS_OK || kind == KERNEL_OTHER)
        return status;
    if (events->n == KERNEL_EVENTS_MOST)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0,
                           "more than %d kernels of attention and experts; profile fewer steps",
                           KERNEL_EVENTS_MOST);
    struct kernel_event *rows =
        pps_grow(events->rows, &events->room, events->n + 1, sizeof *rows);
    if (rows == NULL)
        return pps_fail_memory(err, "the kernels of %s", path);
    events->rows = rows;
    rows[events->n++] = (struct kernel_event){row->ns, row->step, kind};
    events->n_forward += kind == KERNEL_FORWARD;
    events->n_backward += kind == KERNEL_BACKWARD;
    events->n_experts += kind == KERNEL_EXPERTS;
    return PPS_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct kernel_event *p = a, *q = b;
    if (p->ns != q->ns)
        return p->ns < q->ns ? -1 : 1;
    return (p->kind > q->kind) - (p->kind < q->kind);
}

void kernel_events_sort(struct kernel_events *events)
{
    bool sorted = true;
    for (size_t i = 1; i < events->n && sorted; i++)
        sorted = by_start(&events->rows[i - 1], &events->rows[i]) <= 0;
    if (!sorted)
        qsort(events->rows, events->n, sizeof *events->rows, by_start);
}

// ---- names --------------------------------------------------------------------------------------

void kernel_events_list_names(const struct kernel_events *events, char *text, size_t size)
{
    enum { SHOWN = 8 };
    bool is_shown[KERNEL_NAMES_MOST] = {false};
    size_t n = 0;
    uint32_t shown = 0;
    text[0] = '\0';
    for (; shown < SHOWN && shown < events->names.n; shown++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < events->names.n; i++)
            if (!is_shown[i] &&
                (best == UINT32_MAX || events->counts[i] > events->counts[best]))
                best = i;
        is_shown[best] = true;
        const int length =
            snprintf(text + n, size - n, "%s%s %" PRIu64, shown > 0 ? ", " : "",
                     pps_string_pool_text(&events->names, best), events->counts[best]);
        n += length > 0 && (size_t)length < size - n ? (size_t)length : 0;
    }
    if (shown < events->names.n)
        snprintf(text + n, size - n, " and %u more names", events->names.n - shown);
}
