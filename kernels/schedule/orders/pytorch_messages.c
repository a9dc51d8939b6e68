// SPDX-License-Identifier: Apache-2.0
// Checks the sends and receives of PyTorch's CSV.
#include "kernels/schedule/orders/pytorch_private.h"

#include <stdlib.h>

// [kind * stages * micro_batches + stage * micro_batches + micro_batch], 0: not there.
struct index {
    int32_t stages, micro_batches;
    size_t *operation; // kinds F, backward: 1 + place of the operation in the file
    uint8_t *message;  // kinds SEND_F, RECV_F, SEND_B, RECV_B
};

struct check {
    const struct index *index;
    const struct order_document *document;
    struct pps_fault *fault;
};

static size_t at_of(const struct index *x, int kind, int32_t stage, int32_t micro_batch)
{
    return ((size_t)kind * (size_t)x->stages + (size_t)stage) * (size_t)x->micro_batches +
           (size_t)micro_batch;
}

static bool index_open(struct index *x, const struct found *found,
                       const struct order_document *d)
{
    const size_t all = (size_t)d->shape.stages * (size_t)d->shape.micro_batches;
    *x = (struct index){.stages = d->shape.stages, .micro_batches = d->shape.micro_batches};
    x->operation = calloc(2 * all, sizeof *x->operation);
    x->message = calloc(4 * all, 1);
    if (x->operation == NULL || x->message == NULL)
        return false;
    for (size_t i = 0; i < found->n; i++) {
        const struct order_text_operation *op = &found->list[i];
        if (op->type == OPERATION_W)
            continue;
        size_t *place =
            &x->operation[at_of(x, op->type != OPERATION_F, op->stage, op->micro_batch)];
        *place = *place == 0 ? i + 1 : *place;
    }
    return true;
}

static bool is_send(enum pytorch_type type)
{
    return type == PYTORCH_SEND_F || type == PYTORCH_SEND_B;
}

static bool is_backward(enum pytorch_type type)
{
    return type == PYTORCH_SEND_B || type == PYTORCH_RECV_B;
}

// Returns the stage at the other end: of a send the receiver, of a receive the sender.
static int32_t other_stage(const struct pytorch_action *a)
{
    const bool up = a->type == PYTORCH_SEND_F || a->type == PYTORCH_RECV_B;
    return up ? a->stage + 1 : a->stage - 1;
}

static bool check_ends(const struct check *c, const struct pytorch_message *m)
{
    const struct pytorch_action *a = &m->action;
    const struct order_document *document = c->document;
    const int32_t other = other_stage(a);
    if (a->stage >= c->index->stages || document->device_of[a->stage] != m->device)
        return order_source_fault(&document->source, m->device, a->at, c->fault,
                                  "stage %d is not on this rank; a send or a receive names the "
                                  "stage that it belongs to on its own rank",
                                  a->stage);
    if (other < 0 || other >= c->index->stages)
        return order_source_fault(&document->source, m->device, a->at, c->fault,
                                  "stage %d is the %s stage, so this message has no other end; "
                                  "remove it",
                                  a->stage, other < 0 ? "first" : "last");
    if (document->device_of[other] == m->device)
        return order_source_fault(&document->source, m->device, a->at, c->fault,
                                  "stages %d and %d are both on this rank and need no message; "
                                  "remove it",
                                  a->stage, other);
    return true;
}

static bool check_side(const struct check *c, const struct pytorch_message *m)
{
    const struct pytorch_action *a = &m->action;
    const struct index *x = c->index;
    const bool backward = is_backward(a->type), send = is_send(a->type);
    const size_t place = a->micro_batch < x->micro_batches
                             ? x->operation[at_of(x, backward, a->stage, a->micro_batch)]
                             : 0;
    if (place == 0)
        return order_source_fault(&c->document->source, m->device, a->at, c->fault,
                                  "there is no %d%s%d that the message belongs to", a->stage,
                                  backward ? "I or B, micro-batch " : "F", a->micro_batch);
    if (send ? m->before < place : m->before >= place)
        return order_source_fault(
            &c->document->source, m->device, a->at, c->fault,
            send ? "a send stands behind the %s that makes its message; move "
                   "it"
                 : "a receive stands before the %s that needs its message; "
                   "move it",
            backward ? "backward" : "forward");
    uint8_t *seen =
        &x->message[at_of(x, (int)a->type - PYTORCH_SEND_F, a->stage, a->micro_batch)];
    if (*seen)
        return order_source_fault(&c->document->source, m->device, a->at, c->fault,
                                  "the same %s appears twice; remove one",
                                  send ? "send" : "receive");
    *seen = 1;
    return true;
}

static bool check_partner(const struct check *c, const struct pytorch_message *m)
{
    static const enum pytorch_type partners[] = {PYTORCH_RECV_F, PYTORCH_SEND_F, PYTORCH_RECV_B,
                                                 PYTORCH_SEND_B};
    const struct pytorch_action *a = &m->action;
    const enum pytorch_type partner = partners[a->type - PYTORCH_SEND_F];
    const int32_t other = other_stage(a);
    if (c->index
            ->message[at_of(c->index, (int)partner - PYTORCH_SEND_F, other, a->micro_batch)])
        return true;
    return order_source_fault(&c->document->source, m->device, a->at, c->fault,
                              "the matching %s %d%s%d is missing; add it to row %d",
                              is_send(partner) ? "send" : "receive", other,
                              pytorch_names[partner], a->micro_batch,
                              c->document->device_of[other] + 1);
}

bool pytorch_messages_check(const struct pytorch_message *messages, size_t n,
                            const struct found *found, const struct order_document *document,
                            struct pps_fault *fault)
{
    struct index x;
    const struct check c = {&x, document, fault};
    if (n == 0)
        return true;
    bool good = index_open(&x, found, document) || order_source_no_memory(fault);
    for (size_t i = 0; i < n && good; i++)
        good = check_ends(&c, &messages[i]) && check_side(&c, &messages[i]);
    for (size_t i = 0; i < n && good; i++)
        good = check_partner(&c, &messages[i]);
    free(x.operation);
    free(x.message);
    return good;
}

// ---- the messages of a document -----------------------------------------------------------------

// Returns the message of an action on a device whose operations begin at `begin`.
static struct order_message message_of(const struct pytorch_message *m, size_t begin)
{
    const struct pytorch_action *a = &m->action;
    return (struct order_message){.before = (int32_t)(m->before - begin),
                                  .item = a->micro_batch,
                                  .stage =
                                      (int16_t)(is_send(a->type) ? a->stage : other_stage(a)),
                                  .backward = is_backward(a->type),
                                  .send = is_send(a->type)};
}

bool pytorch_messages_keep(const struct pytorch_message *messages, size_t n,
                           const struct found *found, struct order_document *document,
                           struct pps_fault *fault)
{
    struct order_messages *to = &document->messages;
    if (n == 0)
        return true;
    to->first = calloc(found->devices + 1, sizeof *to->first);
    to->list = calloc(n, sizeof *to->list);
    document->message_places = calloc(n, sizeof *document->message_places);
    if (to->first == NULL || to->list == NULL || document->message_places == NULL)
        return order_source_no_memory(fault);
    size_t i = 0;
    for (size_t d = 0; d < found->devices; d++) {
        for (; i < n && messages[i].device == (int32_t)d; i++) {
            to->list[i] = message_of(&messages[i], d > 0 ? found->ends[d - 1] : 0);
            document->message_places[i] = messages[i].action.at;
        }
        to->first[d + 1] = (int32_t)i;
    }
    return true;
}
