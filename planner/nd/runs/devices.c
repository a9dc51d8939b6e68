// SPDX-License-Identifier: Apache-2.0
// Names of devices, from the command line or from the variables of the frameworks.
#include "planner/nd/runs/devices.h"

#include "base/text/grow_list.h"
#include "base/text/text_buffer.h"

#include <stdlib.h>
#include <string.h>

// Names of devices: all in one text, each ended by NUL.
struct names {
    char **list;
    size_t n, room;
};

static bool add_name(struct names *names, const char *text, size_t n)
{
    char **list = pps_grow(names->list, &names->room, names->n + 1, sizeof *list);
    if (list == NULL)
        return false;
    names->list = list;
    list[names->n] = strndup(text, n);
    return list[names->n] != NULL && ++names->n > 0;
}

static void free_names(struct names *names)
{
    for (size_t k = 0; k < names->n; k++)
        free(names->list[k]);
    free(names->list);
}

static bool add_number(struct names *names, unsigned long number)
{
    struct text_buffer text = {.text = NULL};
    text_buffer_add(&text, "%lu", number);
    const bool ok = !text.failed && add_name(names, text.text, text.n);
    text_buffer_free(&text);
    return ok;
}

static bool is_number(const char *text, size_t n, unsigned long *value)
{
    *value = n > 0 && n < 7 ? strtoul(text, NULL, 10) : 0;
    return n > 0 && n < 7 && strspn(text, "0123456789") >= n;
}

// Reads "5" or "0-3" of n bytes, or any name without a hyphen.
static enum pps_status add_part(struct names *names, const char *part, size_t n,
                                struct pps_error *err)
{
    unsigned long first, last;
    const char *hyphen = memchr(part, '-', n);
    const size_t left = hyphen != NULL ? (size_t)(hyphen - part) : 0;
    const bool range = hyphen != NULL && is_number(part, left, &first) &&
                       is_number(hyphen + 1, n - left - 1, &last);
    if (n == 0 || (range && first > last))
        return pps_fail(err, PPS_E_INPUT,
                        "--devices: expected a number of devices, or a list as in 0-3,6");
    if (range && last - first + names->n >= ND_DEVICE_NAMES_MAX)
        return pps_fail(err, PPS_E_INPUT, "--devices: more than %d devices",
                        ND_DEVICE_NAMES_MAX);
    bool ok = range || add_name(names, part, n);
    for (unsigned long k = first; range && ok && k <= last; k++)
        ok = add_number(names, k);
    return ok ? PPS_OK : pps_fail_memory(err, "the devices");
}

static enum pps_status add_list(struct names *names, const char *list, struct pps_error *err)
{
    for (const char *at = list;; at++) {
        const size_t n = strcspn(at, ",");
        const enum pps_status status = add_part(names, at, n, err);
        at += n;
        if (status != PPS_OK || *at == '\0')
            return status;
    }
}

static const char *visible(void)
{
    const char *cuda = getenv("CUDA_VISIBLE_DEVICES");
    const char *list =
        cuda != NULL && cuda[0] != '\0' ? cuda : getenv("ASCEND_RT_VISIBLE_DEVICES");
    return list != NULL && list[0] != '\0' ? list : NULL;
}

static enum pps_status add_numbers(struct names *names, uint64_t n, struct pps_error *err)
{
    for (uint64_t k = 0; k < n && k < ND_DEVICE_NAMES_MAX; k++)
        if (!add_number(names, (unsigned long)k))
            return pps_fail_memory(err, "the devices");
    return PPS_OK;
}

// wanted: devices to assume if none are known.
static enum pps_status read_names(struct names *names, const char *list, bool need,
                                  uint64_t wanted, struct pps_error *err)
{
    unsigned long count = 0;
    const bool counted = list != NULL && is_number(list, strlen(list), &count);
    if (list == NULL && need && visible() != NULL)
        return add_list(names, visible(), err);
    if (list == NULL)
        return add_numbers(names, wanted, err);
    if (!counted)
        return add_list(names, list, err);
    if (count < 1 || count > ND_DEVICE_NAMES_MAX)
        return pps_fail(err, PPS_E_INPUT, "--devices %s: expected 1 to %d devices", list,
                        ND_DEVICE_NAMES_MAX);
    enum pps_status status = visible() != NULL ? add_list(names, visible(), err) : PPS_OK;
    if (status == PPS_OK && visible() != NULL && names->n < count)
        return pps_fail(err, PPS_E_INPUT,
                        "--devices %s: CUDA_VISIBLE_DEVICES or ASCEND_RT_VISIBLE_DEVICES has "
                        "only %zu devices",
                        list, names->n);
    if (visible() == NULL)
        status = add_numbers(names, count, err);
    while (names->n > count)
        free(names->list[--names->n]);
    return status;
}

static enum pps_status divide(struct nd_slots *slots, uint64_t parallel, struct pps_error *err)
{
    const uint64_t devices = slots->n_devices;
    if (devices == 0) {
        slots->per_run = 0;
        slots->n = parallel > 0 ? parallel : 1;
        return PPS_OK;
    }
    if (slots->per_run == 0)
        slots->per_run = devices / (parallel > 0 ? parallel : 1);
    const uint64_t fit = slots->per_run > 0 ? devices / slots->per_run : 0;
    if (slots->per_run == 0 || fit == 0 || parallel > fit)
        return pps_fail(err, PPS_E_INPUT,
                        "%llu runs at a time on %llu devices each do not fit on %llu devices: "
                        "reduce --parallel-num or --rank-num",
                        (unsigned long long)(parallel > 0 ? parallel : 1),
                        (unsigned long long)(slots->per_run > 0 ? slots->per_run : 1),
                        (unsigned long long)devices);
    slots->n = parallel > 0 ? parallel : fit < ND_SLOTS_MAX ? fit : ND_SLOTS_MAX;
    return PPS_OK;
}

static bool name_slots(struct nd_slots *slots, const struct names *names)
{
    slots->devices = calloc(slots->n, sizeof *slots->devices);
    for (uint64_t s = 0; s < slots->n && slots->devices != NULL; s++) {
        struct text_buffer text = {.text = NULL};
        text_buffer_add(&text, "%s", "");
        for (uint64_t k = 0; k < slots->per_run; k++)
            text_buffer_add(&text, "%s%s", k > 0 ? "," : "",
                            names->list[s * slots->per_run + k]);
        slots->devices[s] = text.text;
        if (text.failed)
            return false;
    }
    return slots->devices != NULL;
}

enum pps_status nd_slots_open(struct nd_slots *slots, const char *list, bool need,
                              uint64_t per_run, uint64_t parallel, struct pps_error *err)
{
    const uint64_t wanted = per_run * (parallel > 0 ? parallel : 1);
    struct names names = {.list = NULL};
    *slots = (struct nd_slots){.per_run = per_run};
    enum pps_status status = read_names(&names, list, need, wanted, err);
    slots->n_devices = names.n;
    if (status == PPS_OK)
        status = divide(slots, parallel, err);
    if (status == PPS_OK && !name_slots(slots, &names))
        status = pps_fail_memory(err, "the devices");
    free_names(&names);
    return status;
}

void nd_slots_free(struct nd_slots *slots)
{
    for (uint64_t s = 0; s < slots->n && slots->devices != NULL; s++)
        free(slots->devices[s]);
    free(slots->devices);
    *slots = (struct nd_slots){.n = 0};
}
