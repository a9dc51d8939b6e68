// SPDX-License-Identifier: Apache-2.0
// Reads an order from PyTorch's CSV.

#include "base/text/characters.h"
#include "base/text/grow_list.h"
#include "kernels/schedule/orders/pytorch_private.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    const struct order_source *source;
    struct found found;
    struct pytorch_message *messages;
    size_t n_messages, messages_room;
    struct pps_fault *fault;
};

static bool fail(const struct reader *r, size_t at, const char *text)
{
    return order_source_fault(r->source, (int32_t)r->found.devices, at, r->fault, "%s", text);
}

static bool add_message(struct reader *r, const struct pytorch_action *action)
{
    struct pytorch_message *list =
        pps_grow(r->messages, &r->messages_room, r->n_messages + 1, sizeof *list);
    if (list == NULL)
        return order_source_no_memory(r->fault);
    r->messages = list;
    list[r->n_messages++] = (struct pytorch_message){.action = *action,
                                                     .device = (int32_t)r->found.devices,
                                                     .before = r->found.n};
    return true;
}

static bool add_operation(struct reader *r, const struct pytorch_action *action, bool paired)
{
    static const uint8_t types[] = {OPERATION_F, OPERATION_B, OPERATION_W, OPERATION_BW};
    const struct order_text_operation operation = {.at = action->at,
                                                   .micro_batch = action->micro_batch,
                                                   .stage = action->stage,
                                                   .type = types[action->type],
                                                   .paired = paired};
    return found_add(&r->found, &operation, r->fault);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool read_cell(struct reader *r, size_t from, size_t to)
{
    const char *const text = r->source->text;
    struct pytorch_action action[2];
    struct order_text_fault wrong;
    while (from < to && is_blank(text[from]))
        from++;
    while (to > from && is_blank(text[to - 1]))
        to--;
    const int n = pytorch_cell_read(text, from, to, action, &wrong);
    if (n < 0)
        return fail(r, wrong.at, wrong.text);
    for (int k = 0; k < n; k++) {
        const enum pytorch_type type = action[k].type;
        if (type <= PYTORCH_B && !add_operation(r, &action[k], n == 2 && k == 0))
            return false;
        if (type >= PYTORCH_SEND_F && type <= PYTORCH_RECV_B && !add_message(r, &action[k]))
            return false;
    }
    return true;
}

static bool read_row(struct reader *r, size_t from, size_t to)
{
    const size_t before = r->found.n, begin = from;
    if (r->found.devices == PIPELINE_DEVICES_MAX)
        return fail(r, from, "more rows than ranks are possible (4096)");
    for (size_t next; from <= to; from = next + 1) {
        const char *comma = memchr(r->source->text + from, ',', to - from);
        next = comma != NULL ? (size_t)(comma - r->source->text) : to;
        if (!read_cell(r, from, next))
            return false;
    }
    if (r->found.n == before)
        return fail(
            r, begin,
            "the rank of this row has no F, I, W or B; every rank runs a stage, so add its "
            "operations or remove the row");
    return found_end_device(&r->found, r->fault);
}

static bool read_rows(struct reader *r)
{
    const char *const text = r->source->text;
    size_t n = r->source->n;
    while (n > 0 && (is_blank(text[n - 1]) || text[n - 1] == '\r' || text[n - 1] == '\n'))
        n--;
    for (size_t from = pps_utf8_mark(text, n), next; from < n; from = next) {
        const char *end = memchr(text + from, '\n', n - from);
        const size_t to = end != NULL ? (size_t)(end - text) : n;
        next = to + 1;
        if (!read_row(r, from, to > from && text[to - 1] == '\r' ? to - 1 : to))
            return false;
    }
    return true;
}

bool pytorch_read(struct order_document *document, struct pps_fault *fault)
{
    struct reader r = {.source = &document->source, .fault = fault};
    const bool done =
        read_rows(&r) && found_finish(&r.found, document, fault) &&
        pytorch_messages_check(r.messages, r.n_messages, &r.found, document, fault) &&
        pytorch_messages_keep(r.messages, r.n_messages, &r.found, document, fault);
    free(r.messages);
    found_free(&r.found);
    return done;
}
