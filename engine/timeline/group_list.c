// SPDX-License-Identifier: Apache-2.0
// Reads lists of groups.
#include "engine/timeline/group_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads a whole number of at most nine digits. Returns the end of it, or NULL.
static const char *read_number(const char *text, int32_t *number)
{
    char *end;
    if (!isdigit((unsigned char)*text) || strspn(text, "0123456789") > 9)
        return NULL;
    *number = (int32_t)strtol(text, &end, 10);
    return end;
}

static const char *read_range(const char *text, struct pps_group_range *range)
{
    const char *end = read_number(text, &range->first);
    range->last = range->first;
    if (end != NULL && *end == '-')
        end = read_number(end + 1, &range->last);
    return end != NULL && range->last >= range->first && (*end == ',' || *end == '\0') ? end
                                                                                       : NULL;
}

static int by_first(const void *left, const void *right)
{
    const struct pps_group_range *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

// Sorts the ranges and joins those that overlap or touch.
static void tidy(struct pps_group_list *list)
{
    int kept = 0;
    qsort(list->range, (size_t)list->n, sizeof *list->range, by_first);
    for (int i = 1; i < list->n; i++) {
        struct pps_group_range *last = &list->range[kept];
        const struct pps_group_range *next = &list->range[i];
        if (next->first > last->last + 1)
            list->range[++kept] = *next;
        else if (next->last > last->last)
            last->last = next->last;
    }
    list->n = kept + 1;
}

enum pps_status pps_group_list_read(struct pps_group_list *list,
                                    const char *option,
                                    const char *text,
                                    struct pps_error *err)
{
    list->n = 0;
    for (const char *at = text;; at++) {
        if (list->n == PPS_GROUP_RANGES)
            return pps_fail(err, PPS_E_INPUT, "%s: more than %d numbers and ranges", option,
                            PPS_GROUP_RANGES);
        at = read_range(at, &list->range[list->n++]);
        if (at == NULL)
            return pps_fail(err, PPS_E_INPUT,
                            "%s %.60s: expected numbers from 0 and ranges, as in 0,3,8-11",
                            option, text);
        if (*at == '\0')
            break;
    }
    tidy(list);
    return PPS_OK;
}

bool pps_group_list_has(const struct pps_group_list *list, int32_t group)
{
    for (int i = 0; i < list->n && list->range[i].first <= group; i++)
        if (group <= list->range[i].last)
            return true;
    return false;
}

int32_t pps_group_list_last(const struct pps_group_list *list)
{
    return list->range[list->n - 1].last;
}

void pps_group_list_text(const struct pps_group_list *list, char *text, size_t cap)
{
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < list->n; i++) {
        const struct pps_group_range *range = &list->range[i];
        char word[32];
        const size_t n =
            (size_t)(range->last > range->first
                         ? snprintf(word, sizeof word, "%s%d-%d", i > 0 ? ", " : "",
                                    (int)range->first, (int)range->last)
                         : snprintf(word, sizeof word, "%s%d", i > 0 ? ", " : "",
                                    (int)range->first));
        if (at + n + sizeof " ..." > cap) {
            snprintf(text + at, cap - at, " ...");
            return;
        }
        memcpy(text + at, word, n + 1);
        at += n;
    }
}
