// SPDX-License-Identifier: Apache-2.0
// Tests orders as text and JSON: what is accepted, what is refused and where, and random round trips.
#include "kernels/schedule/orders/order_document.h"
#include "kernels/schedule/orders/pytorch_csv.h"

#include "tests/unit/support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(struct order_document *document, const char *text,
                      struct pps_fault *fault)
{
    return order_document_read(document, text, strlen(text), fault);
}

static const struct {
    const char *text;
    struct pipeline_shape shape;
} accepted[] = {
    {"F0.0 BW0.0", {1, 1, 1, 1, 1}},
    {"# two ranks\n\n F0.0\tB0.0 W0.0 # the first\r\nF0.1 B0.1 W0.1\n", {2, 2, 1, 1, 1}},
    {"F0:0.0 F0:1.0 BW0:1.0 BW0:0.0", {1, 1, 1, 2, 1}},
    // the numbers count the micro-batches of each direction, or all of them
    {"F0.0 F0.1r BW0.1r BW0.0\nF0.0r F0.1 BW0.1 BW0.0r", {2, 2, 2, 1, 2}},
    {"F0.0 F1.1r BW1.1r BW0.0\nF1.0r F0.1 BW0.1 BW1.0r", {2, 2, 2, 1, 2}},
    {"F0.0 R0.0 [F1.0 BW0.0] BW1.0", {1, 1, 2, 1, 1}},
    {"{\"order\": [\"F0.0 BW0.0\", \"F0.1 BW0.1\"], \"name\": \"mine\"}", {2, 2, 1, 1, 1}},
};

Test(orders_documents, shapes)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct order_document document;
        struct pps_fault fault;
        cr_assert(read_text(&document, accepted[i].text, &fault), "%s: %s", accepted[i].text,
                  fault.text);
        cr_assert_arr_eq(&document.shape, &accepted[i].shape, sizeof document.shape, "%s",
                         accepted[i].text);
        cr_assert(order_document_check(&document, &fault), "%s", fault.text);
        order_document_free(&document);
    }
}

static const struct {
    const char *text;
    int line, column;
    const char *message;
} refused[] = {
    {"", 1, 1, "no operations"},
    {"# nothing\n", 1, 1, "no operations"},
    {"F0.0 G0.0", 1, 6, "rank 0: expected an operation F, B, W, BW or R"},
    {"F0.0 BW0.0\nF0.1 BW0,1", 2, 9, "rank 1: expected . and the stage"},
    {"F0.0 BW0.0F0.1", 1, 11, "expected a space"},
    {"F0.0 BW.0", 1, 6, "expected an operation"},
    {"F0.0 BW0.", 1, 10, "expected a number"},
    {"F0.0 [F1.0 B0.0]", 1, 7, "an F and then a BW"},
    {"F0.0 [F1.0 BW0.0", 1, 17, "expected ]"},
    {"F0.16384", 1, 8, "too large"},
    {"F0.0 BW0.0\nF0.0 BW0.0", 2, 1, "rank 1: stage 0 is on rank 0 already"},
    {"F0.0 BW0.0\nF0.2 BW0.2", 2, 1, "stage 1 has no operations"},
    {"F0.0 BW0.0 F0.0r BW0.0r\nF0.1 BW0.1", 2, 1, "stage 1 of direction 1 has no operations"},
    {"F0.0 F99999.0", 1, 6, "the order has 2"},
    {"F0.0 BW0.0 F7.0r BW7.0r", 1, 12, "number them from 0 to 1"},
    {"{\"orders\": []}", 1, 1, "expected \"order\""},
    {"{\"order\": 5}", 1, 11, "expected \"order\""},
    {"{\"order\": []}", 1, 1, "no operations"},
    {"{\"order\": [\"F0.0 BW0.0\", 5]}", 1, 26, "order[1]: expected a text"},
    {"{\"order\": [\"F0.0 BW0.0\", \"\"]}", 1, 26, "order[1]: the device has no operations"},
    {"{\"order\": [\"F0.0 BW\"]}", 1, 12, "order[0], character 6: expected an operation"},
    {"{\"order\": [\"F0.0\"", 1, 18, ""},
};

Test(orders_documents, faults)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct order_document document;
        struct pps_fault fault;
        cr_assert_not(read_text(&document, refused[i].text, &fault), "%s", refused[i].text);
        cr_assert(fault.line == refused[i].line && fault.column == refused[i].column &&
                      strstr(fault.text, refused[i].message) != NULL && fault.text[0] != '\0',
                  "%s\n%d:%d: %s", refused[i].text, fault.line, fault.column, fault.text);
    }
}

static const struct {
    const char *text;
    int line, column;
    const char *message;
} wrong[] = {
    {"F0.0 F1.0 BW0.0", 1, 11, "rank 0, position 3: B1.0 is missing; add it to this rank"},
    {"F0.0 BW0.0 F0.0", 1, 12, "rank 0, position 2: F0.0 appears twice"},
    {"F0.0 BW0.0 W0.0", 1, 12, "rank 0, position 2: W0.0 has both a whole backward"},
    {"0F0,0B0\n1F0,1B0,1F0", 2, 9,
     "rank 1, position 2: 1F0 appears twice; remove one of the two "
     "(row 2, cell 3)"},
    {"0F0,0B0\n1F0,,1I0", 2, 6, "rank 1, position 2: 1W0 is missing; add it to this rank"},
};

Test(orders_documents, wrong_operations)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct order_document document;
        struct pps_fault fault;
        cr_assert(read_text(&document, wrong[i].text, &fault), "%s: %s", wrong[i].text,
                  fault.text);
        cr_assert_not(order_document_check(&document, &fault), "%s", wrong[i].text);
        cr_assert(fault.line == wrong[i].line && fault.column == wrong[i].column &&
                      strstr(fault.text, wrong[i].message) == fault.text,
                  "%s\n%d:%d: %s", wrong[i].text, fault.line, fault.column, fault.text);
        order_document_free(&document);
    }
}

static const struct {
    const char *text;
    int line, column;
    const char *message, *explanation;
} deadlocks[] = {
    {"BW0.0 F0.0\nF0.1 BW0.1\n", 1, 1,
     "the order deadlocks: BW0.0 (rank 0, position 0) waits for F0.0 (rank 0, position 1), "
     "F0.1 "
     "(rank 1, position 0) waits for F0.0 (rank 0, position 1); cycle: BW0.0 -> F0.0",
     "rank 0: BW0.0 (rank 0, position 0) waits for F0.0 (rank 0, position 1)\n"
     "rank 1: F0.1 (rank 1, position 0) waits for F0.0 (rank 0, position 1)\n"
     "cycle: BW0.0 (rank 0, position 0)\n"
     "cycle: F0.0 (rank 0, position 1)\n"},
    {"0F0,0B0,0F1,0B1\n1F1,1F0,1B1,1B0", 1, 5,
     "the order deadlocks: 0B0 (rank 0, position 1) waits for 1B0 (rank 1, position 3), 1F1 "
     "(rank "
     "1, position 0) waits for 0F1 (rank 0, position 2); cycle: 0B0 -> 1B0 -> 1F1 -> 0F1",
     NULL},
};

// Would catch an operation that is named in the notation of another form.
Test(orders_documents, deadlocks)
{
    for (size_t i = 0; i < sizeof deadlocks / sizeof *deadlocks; i++) {
        struct order_document document;
        struct pps_fault fault;
        struct text_buffer text = {.text = NULL};
        cr_assert(read_text(&document, deadlocks[i].text, &fault), "%s", fault.text);
        cr_assert_not(order_document_check(&document, &fault));
        cr_assert(strncmp(fault.text, deadlocks[i].message, strlen(deadlocks[i].message)) == 0,
                  "%s", fault.text);
        cr_assert(fault.line == deadlocks[i].line && fault.column == deadlocks[i].column,
                  "%d:%d", fault.line, fault.column);
        cr_assert(order_document_explain(&document, &text));
        if (deadlocks[i].explanation != NULL)
            cr_assert_str_eq(text.text, deadlocks[i].explanation, "%s", text.text);
        text_buffer_free(&text);
        order_document_free(&document);
    }
}

// ---- random orders ------------------------------------------------------------------------------

static void shuffle(struct random *r, struct operation *list, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = random_below(r, i + 1);
        const struct operation keep = list[i];
        list[i] = list[j];
        list[j] = keep;
    }
}

// Puts every stage on a random device; each device has a stage.
static void place_somewhere(struct random *r, struct pipeline *p)
{
    const int32_t devices = p->shape.devices, stages = p->shape.stages;
    for (int32_t k = 0; k < p->shape.directions; k++) {
        const int32_t first = (int32_t)random_below(r, devices);
        for (int32_t s = 0; s < stages; s++)
            p->device_of[k * stages + s] =
                s < devices ? (s + first) % devices : (int32_t)random_below(r, devices);
    }
}

// Adds the operations of a micro-batch part on a stage.
static void add_operations(struct random *r, const struct pipeline *p, struct order *order,
                           int32_t k, int32_t s, int32_t item, bool with_r)
{
    const int32_t d = pipeline_device(p, k, s), from = order->n[d];
    order_add(order, d, OPERATION_F, item, s);
    if (random_coin(r)) {
        order_add(order, d, OPERATION_BW, item, s);
    } else {
        order_add(order, d, OPERATION_B, item, s);
        order_add(order, d, OPERATION_W, item, s);
    }
    if (with_r && random_coin(r))
        order_add(order, d, OPERATION_R, item, s);
    for (int32_t i = from; i < order->n[d]; i++)
        order->operations[order_at(order, d, i)].direction = (uint8_t)k;
}

static void pair_some(struct random *r, struct order *order)
{
    for (int32_t d = 0; d < order->devices; d++)
        for (int32_t i = 0; i + 1 < order->n[d]; i++) {
            const int64_t at = order_at(order, d, i);
            order->paired[at] = order->operations[at].type == OPERATION_F &&
                                order->operations[at + 1].type == OPERATION_BW &&
                                random_coin(r);
        }
}

// A complete set of operations, in any sequence.
static struct order *random_order(struct random *r, struct pipeline **pipeline, bool plain)
{
    const int32_t devices = 1 + (int32_t)random_below(r, 5);
    const struct pipeline_shape shape = {
        .devices = devices,
        .stages = devices + (int32_t)random_below(r, 6),
        .micro_batches = 2 * (1 + (int32_t)random_below(r, 4)),
        .slices = plain || random_coin(r) ? 1 : 2 + (int32_t)random_below(r, 3),
        .directions = plain || random_coin(r) ? 1 : 2};
    struct pipeline *p = *pipeline = pipeline_new(&shape);
    place_somewhere(r, p);
    struct order *order = order_new(devices, order_room(p, true));
    const int32_t items = pipeline_items(p) / shape.directions;
    for (int32_t k = 0; k < shape.directions; k++)
        for (int32_t s = 0; s < shape.stages; s++)
            for (int32_t i = 0; i < items; i++)
                add_operations(r, p, order, k, s, i, !plain);
    for (int32_t d = 0; d < devices; d++)
        shuffle(r, order->operations + order_at(order, d, 0), order->n[d]);
    pair_some(r, order);
    return order;
}

static void check_round_trip(const struct pipeline *p, const struct order *order, int form)
{
    struct text_buffer text = {.text = NULL};
    struct order_document document;
    struct pps_fault fault;
    cr_assert(order_write((enum order_form)form, p, order, &text, &fault), "%s", fault.text);
    cr_assert(read_text(&document, text.text, &fault), "%s\n%s", text.text, fault.text);
    cr_assert_eq(document.source.form, (enum order_form)form);
    cr_assert_arr_eq(&document.shape, &p->shape, sizeof p->shape, "%s", text.text);
    cr_assert_arr_eq(document.device_of, p->device_of,
                     sizeof(int32_t) * (size_t)(p->shape.stages * p->shape.directions));
    cr_assert(order_equal(document.order, order), "%s", text.text);
    text_buffer_free(&text);
    order_document_free(&document);
}

// Would catch a letter, a slice or a direction that one side writes and the other reads differently.
Test(orders_documents, random_round_trips)
{
    struct random r = {.state = 18};
    for (int i = 0; i < 600; i++) {
        struct pipeline *pipeline;
        const bool plain = i % 3 == 0;
        struct order *order = random_order(&r, &pipeline, plain);
        for (int form = ORDER_FORM_TEXT; form <= ORDER_FORM_JSON; form++)
            if (form != ORDER_FORM_PYTORCH || plain)
                check_round_trip(pipeline, order, form);
        order_free(order);
        pipeline_free(pipeline);
    }
}

// Returns whether the input of an operation is there. done: [2][stages * micro-batches].
static bool is_ready(const struct pipeline *p, const struct operation *op, bool *const *done)
{
    const int32_t n = p->shape.micro_batches, at = op->stage * n + op->item;
    if (op->type == OPERATION_F)
        return op->stage == 0 || done[0][at - n];
    if (op->type == OPERATION_W)
        return done[1][at];
    return done[0][at] && (op->stage == p->shape.stages - 1 || done[1][at + n]);
}

// Sorts the operations of all devices into a random sequence that runs.
static void make_runnable(struct random *r, const struct pipeline *p, struct order *order)
{
    const size_t all = (size_t)(p->shape.stages * p->shape.micro_batches);
    bool *done[2] = {calloc(all, sizeof(bool)), calloc(all, sizeof(bool))};
    int32_t *position = calloc((size_t)order->devices, sizeof *position);
    for (int64_t left = order_total(order); left > 0;) {
        const int32_t d = (int32_t)random_below(r, order->devices), n = order->n[d];
        if (position[d] == n)
            continue;
        struct operation *next = order->operations + order_at(order, d, position[d]);
        struct operation *op = next + random_below(r, n - position[d]);
        if (!is_ready(p, op, done))
            continue;
        const struct operation keep = *next;
        *next = *op;
        *op = keep;
        if (next->type != OPERATION_W)
            done[next->type != OPERATION_F][next->stage * p->shape.micro_batches + next->item] =
                true;
        position[d]++;
        left--;
    }
    free(position);
    free(done[0]);
    free(done[1]);
}

// A CSV with sends and receives passes the checks of its reader. Would catch a message on the wrong side
// of its operation.
Test(orders_documents, random_messages)
{
    struct random r = {.state = 19};
    for (int i = 0; i < 400; i++) {
        struct pipeline *pipeline;
        struct pps_fault fault;
        struct text_buffer csv = {.text = NULL};
        struct order_document document;
        struct order *order = random_order(&r, &pipeline, true);
        memset(order->paired, 0, (size_t)order->devices * (size_t)order->room);
        make_runnable(&r, pipeline, order);
        cr_assert(pytorch_csv_write(pipeline, order, true, &csv, &fault), "%s", fault.text);
        cr_assert(read_text(&document, csv.text, &fault), "%s\n%s", csv.text, fault.text);
        cr_assert(order_equal(document.order, order));
        cr_assert(order_document_check(&document, &fault), "%s", fault.text);
        order_document_free(&document);
        text_buffer_free(&csv);
        order_free(order);
        pipeline_free(pipeline);
    }
}
