// SPDX-License-Identifier: Apache-2.0
// Makes the operations that a reader found an order.
#include "base/document/fault.h"
#include "base/text/grow_list.h"
#include "kernels/schedule/orders/found_private.h"

#include <stdlib.h>
#include <string.h>

bool found_add(struct found *found, const struct order_text_operation *operation,
               struct pps_fault *fault)
{
    struct order_text_operation *list =
        pps_grow(found->list, &found->room, found->n + 1, sizeof *list);
    if (list == NULL)
        return order_source_no_memory(fault);
    found->list = list;
    list[found->n++] = *operation;
    return true;
}

bool found_end_device(struct found *found, struct pps_fault *fault)
{
    size_t *ends =
        pps_grow(found->ends, &found->devices_room, found->devices + 1, sizeof *ends);
    if (ends == NULL)
        return order_source_no_memory(fault);
    found->ends = ends;
    ends[found->devices++] = found->n;
    return true;
}

void found_free(struct found *found)
{
    free(found->list);
    free(found->ends);
}

static size_t begin_of(const struct found *found, size_t device)
{
    return device == 0 ? 0 : found->ends[device - 1];
}

// ---- the shape ----------------------------------------------------------------------------------

// What the operations show, and where the largest numbers are.
struct extent {
    int32_t stages, micro_batches, slices, directions;
    size_t device_of_stage, last_stage; // of the operation with the largest stage
    size_t device_of_item, last_item;   // with the largest micro-batch
};

static struct extent extent_of(const struct found *found)
{
    struct extent e = {.directions = 1};
    for (size_t d = 0, i = 0; d < found->devices; d++)
        for (; i < found->ends[d]; i++) {
            const struct order_text_operation *op = &found->list[i];
            if (op->stage >= e.stages) {
                e.stages = op->stage + 1;
                e.device_of_stage = d;
                e.last_stage = i;
            }
            if (op->micro_batch >= e.micro_batches) {
                e.micro_batches = op->micro_batch + 1;
                e.device_of_item = d;
                e.last_item = i;
            }
            e.slices = op->slice >= e.slices ? op->slice + 1 : e.slices;
            e.directions = op->direction ? 2 : e.directions;
        }
    return e;
}

// Refuses numbers that are far beyond the operations that are there: the arrays of an execution have
// an element for each stage and micro-batch.
static bool fits(const struct found *found, const struct extent *e,
                 const struct order_source *source, struct pps_fault *fault)
{
    const struct order_text_operation *last = &found->list[e->last_item];
    const double items = (double)e->micro_batches * e->slices, needed = 2.0 * e->stages * items;
    if (items <= ORDER_TEXT_ITEMS && needed <= 4.0 * (double)found->n + 4096)
        return true;
    return order_source_fault(
        source, (int32_t)e->device_of_item, last->at, fault,
        "micro-batches 0 to %d on stages 0 to %d need at least %.0f "
        "operations, but the order has %zu; correct this micro-batch, or add "
        "the missing operations",
        e->micro_batches - 1, e->stages - 1, needed, found->n);
}

// In two directions the numbers count either all micro-batches, or those of each direction. Returns
// how many there are in both; -1: out of memory.
static int32_t count_both(const struct found *found, int32_t micro_batches)
{
    int32_t n = 0;
    uint8_t *seen = calloc((size_t)micro_batches, 2);
    if (seen == NULL)
        return -1;
    for (size_t i = 0; i < found->n; i++) {
        uint8_t *at = &seen[2 * (size_t)found->list[i].micro_batch + found->list[i].direction];
        n += *at == 0;
        *at = 1;
    }
    free(seen);
    return n;
}

static bool find_shape(const struct found *found, struct order_document *document,
                       struct extent *e, struct pps_fault *fault)
{
    *e = extent_of(found);
    if (found->n == 0)
        return pps_fault_set(fault, NULL, false, "the order has no operations");
    if (!fits(found, e, &document->source, fault))
        return false;
    int32_t micro_batches = e->micro_batches;
    if (e->directions == 2)
        micro_batches = count_both(found, micro_batches);
    if (micro_batches < 0)
        return order_source_no_memory(fault);
    if (micro_batches < e->micro_batches)
        return order_source_fault(&document->source, (int32_t)e->device_of_item,
                                  found->list[e->last_item].at, fault,
                                  "the order has %d micro-batches; number them from 0 to %d",
                                  micro_batches, micro_batches - 1);
    document->shape = (struct pipeline_shape){.devices = (int32_t)found->devices,
                                              .stages = e->stages,
                                              .micro_batches = micro_batches,
                                              .slices = e->slices,
                                              .directions = e->directions};
    return true;
}

// ---- the placement ------------------------------------------------------------------------------

static bool find_placement(const struct found *found, struct order_document *document,
                           const struct extent *e, struct pps_fault *fault)
{
    const int32_t stages = e->stages, parts = stages * e->directions;
    int32_t *device_of = malloc((size_t)parts * sizeof *device_of);
    document->device_of = device_of;
    if (device_of == NULL)
        return order_source_no_memory(fault);
    for (int32_t k = 0; k < parts; k++)
        device_of[k] = -1;
    for (size_t d = 0, i = 0; d < found->devices; d++)
        for (; i < found->ends[d]; i++) {
            const struct order_text_operation *op = &found->list[i];
            int32_t *device = &device_of[op->direction * stages + op->stage];
            if (*device >= 0 && *device != (int32_t)d)
                return order_source_fault(&document->source, (int32_t)d, op->at, fault,
                                          "stage %d is on rank %d already; all operations of a "
                                          "stage run on one rank",
                                          op->stage, *device);
            *device = (int32_t)d;
        }
    for (int32_t k = 0; k < parts; k++)
        if (device_of[k] < 0)
            return order_source_fault(
                &document->source, (int32_t)e->device_of_stage, found->list[e->last_stage].at,
                fault, "stage %d%s has no operations; stages are numbered from 0 to %d",
                k % stages, k >= stages ? " of direction 1" : "", stages - 1);
    return true;
}

// ---- the arrays ---------------------------------------------------------------------------------

static bool fill(const struct found *found, struct order_document *document,
                 struct pps_fault *fault)
{
    size_t most = 0;
    for (size_t d = 0; d < found->devices; d++) {
        const size_t n = found->ends[d] - begin_of(found, d);
        most = n > most ? n : most;
    }
    if (most > (size_t)PIPELINE_OPERATIONS_MAX / found->devices)
        return pps_fault_set(fault, NULL, false,
                             "a rank has %zu operations; %zu ranks may have at most %zu each",
                             most, found->devices,
                             (size_t)PIPELINE_OPERATIONS_MAX / found->devices);
    struct order *order = order_new((int32_t)found->devices, (int32_t)most);
    document->order = order;
    const size_t room = (size_t)order_stride((int32_t)most);
    document->places = malloc(found->devices * room * sizeof *document->places);
    if (order == NULL || document->places == NULL)
        return order_source_no_memory(fault);
    for (size_t d = 0, i = 0; d < found->devices; d++)
        for (; i < found->ends[d]; i++) {
            const struct order_text_operation *op = &found->list[i];
            const int64_t at = order_at(order, (int32_t)d, order->n[d]++);
            order->operations[at] =
                (struct operation){.item = op->micro_batch * document->shape.slices + op->slice,
                                   .stage = (int16_t)op->stage,
                                   .type = op->type,
                                   .direction = op->direction};
            order->paired[at] = op->paired;
            document->places[at] = op->at;
        }
    return true;
}

bool found_finish(const struct found *found, struct order_document *document,
                  struct pps_fault *fault)
{
    struct extent e;
    return find_shape(found, document, &e, fault) &&
           find_placement(found, document, &e, fault) && fill(found, document, fault);
}
