// SPDX-License-Identifier: Apache-2.0
// Fuzz target: profiles. The first byte selects a trace, a table of kernels, a table of memory and
// steps, or an order of attention kernels (one byte each). Layers that are found must have times.
#include "tests/fuzz/support/bytes.h"

#include "planner/profiles/kernels/layer_cut.h"
#include "planner/profiles/profile_tables.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int condition)
{
    if (!condition)
        abort();
}

// Cuts the kernels as those of a stage; the byte holds the stage and the number of stages.
static void cut(const struct kernel_events *events, uint8_t byte)
{
    struct layer_cut cut;
    char why[300];
    const int32_t stages = 1 + byte % 8;
    const struct layer_request request = {.stage = (byte >> 3) % (stages + 1) - 1,
                                          .stages = stages,
                                          .steps = byte >> 6,
                                          .skip_steps = byte >> 7};
    if (layer_cut_find(&cut, events, &request, why, sizeof why) != LAYER_CUT_DONE)
        return;
    const struct layer_shape *s = &cut.shape;
    require(s->layers > 0 && s->recomputed >= 0 && s->recomputed <= s->layers && s->passes > 0);
    require(s->steps > 0 && (size_t)s->layers * (size_t)s->passes <= events->n_backward);
    for (size_t i = 0; i < cut.n; i++)
        require(isfinite(cut.times[i].us) && cut.times[i].us >= 0 &&
                cut.times[i].layer < s->layers);
    layer_cut_free(&cut);
}

static void cut_order(const uint8_t *data, size_t n, uint8_t byte)
{
    struct kernel_events events = {.n = n};
    events.rows = calloc(n + 1, sizeof *events.rows);
    for (size_t i = 0; i < n; i++) {
        const enum kernel_kind kind = data[i] % 16 == 0  ? KERNEL_EXPERTS
                                      : data[i] % 2 == 0 ? KERNEL_FORWARD
                                                         : KERNEL_BACKWARD;
        events.rows[i] = (struct kernel_event){(int64_t)i * 1000, -1, kind};
        events.n_forward += kind == KERNEL_FORWARD;
        events.n_backward += kind == KERNEL_BACKWARD;
        events.n_experts += kind == KERNEL_EXPERTS;
    }
    cut(&events, byte);
    kernel_events_free(&events);
}

static void read_kernels(const char *path, bool table, uint8_t byte)
{
    static const struct kernel_names names = {NULL, NULL};
    struct kernel_events events;
    struct pps_error err;
    char text[1000];
    const enum pps_status status = table ? kernel_events_of_table(&events, &names, path, &err)
                                         : kernel_events_of_trace(&events, &names, path, &err);
    if (status != PPS_OK)
        return;
    require(events.n == events.n_forward + events.n_backward + events.n_experts);
    kernel_events_list_names(&events, text, sizeof text);
    cut(&events, byte);
    kernel_events_free(&events);
}

static void read_tables(const char *path)
{
    struct profile_memory memory;
    struct profile_steps steps;
    struct pps_error err;
    if (profile_memory_read(&memory, path, &err) == PPS_OK)
        require(memory.used_mb >= 0 && memory.held_mb >= 0 && memory.static_mb >= 0);
    if (profile_steps_read(&steps, path, &err) == PPS_OK)
        require(steps.n >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2)
        return 0;
    if (data[0] % 4 == 3) {
        cut_order(data + 2, n - 2, data[1]);
        return 0;
    }
    const struct bytes_file file = bytes_open(data + 2, n - 2);
    if (data[0] % 4 == 2)
        read_tables(file.path);
    else
        read_kernels(file.path, data[0] % 4 == 1, data[1]);
    bytes_close(&file);
    return 0;
}
