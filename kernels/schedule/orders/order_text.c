// SPDX-License-Identifier: Apache-2.0
// Reads and writes the order of a device as text.
#include "kernels/schedule/orders/order_text.h"

#include <ctype.h>
#include <string.h>

static const char *const names[OPERATION_TYPES] = {"F", "B", "W", "BW", "R"};

struct reader {
    const char *text;
    size_t n, at;
    int32_t slices;
    struct order_text_fault *fault;
};

static bool fail(struct reader *r, const char *text)
{
    *r->fault = (struct order_text_fault){r->at, text};
    return false;
}

static bool skip(struct reader *r, char c)
{
    if (r->at >= r->n || r->text[r->at] != c)
        return false;
    r->at++;
    return true;
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->n && isspace((unsigned char)r->text[r->at]))
        r->at++;
}

static bool read_number(struct reader *r, int32_t most, int32_t *number)
{
    int32_t value = 0;
    const size_t from = r->at;
    for (; r->at < r->n && isdigit((unsigned char)r->text[r->at]); r->at++) {
        value = value * 10 + (r->text[r->at] - '0');
        if (value > most)
            return fail(r, "the number is too large");
    }
    *number = value;
    return r->at > from || fail(r, "expected a number, as in F0.0");
}

static bool read_type(struct reader *r, uint8_t *type)
{
    for (unsigned t = OPERATION_TYPES; t-- > 0;) { // BW before B
        const size_t length = strlen(names[t]);
        if (r->n - r->at >= length && memcmp(r->text + r->at, names[t], length) == 0 &&
            (r->at + length == r->n || !isalpha((unsigned char)r->text[r->at + length]))) {
            r->at += length;
            *type = (uint8_t)t;
            return true;
        }
    }
    return fail(r, "expected an operation F, B, W, BW or R, as in F0.0");
}

static bool read_operation(struct reader *r, struct operation *op)
{
    enum { ITEMS = (1 << 27) - 1 };
    int32_t micro_batch, slice = 0, stage;
    if (!read_type(r, &op->type) || !read_number(r, ITEMS / r->slices, &micro_batch))
        return false;
    if (skip(r, ':') && !read_number(r, r->slices - 1, &slice))
        return false;
    if (!skip(r, '.'))
        return fail(r, "expected . and the stage, as in F0.0");
    if (!read_number(r, PIPELINE_STAGES_MAX - 1, &stage))
        return false;
    op->item = micro_batch * r->slices + slice;
    op->stage = (int16_t)stage;
    op->direction = skip(r, 'r');
    return true;
}

static bool ends_here(const struct reader *r)
{
    return r->at == r->n || isspace((unsigned char)r->text[r->at]);
}

static void append(struct order *order, int32_t device, const struct operation *op, bool paired)
{
    const int64_t at = order_at(order, device, order->n[device]++);
    order->operations[at] = *op;
    order->paired[at] = paired;
}

bool order_text_read(const char *text,
                     size_t n,
                     int32_t slices,
                     struct order *order,
                     int32_t device,
                     struct order_text_fault *fault)
{
    struct reader r = {.text = text, .n = n, .slices = slices, .fault = fault};
    for (skip_blanks(&r); r.at < n; skip_blanks(&r)) {
        struct operation op[2];
        const int parts = skip(&r, '[') ? 2 : 1;
        if (order->n[device] + parts > order->room)
            return fail(&r, "too many operations");
        if (!read_operation(&r, &op[0]))
            return false;
        if (parts == 2) {
            skip_blanks(&r);
            if (!read_operation(&r, &op[1]))
                return false;
            if (!skip(&r, ']'))
                return fail(&r, "expected ] after the two operations of a pair");
            if (op[0].type != OPERATION_F || op[1].type != OPERATION_BW)
                return fail(&r, "a pair has an F and then a BW, as in [F2.0 BW1.0]");
        }
        if (!ends_here(&r))
            return fail(&r, "expected a space between two operations");
        for (int k = 0; k < parts; k++)
            append(order, device, &op[k], parts == 2 && k == 0);
    }
    return true;
}

int32_t order_text_count(const char *text, size_t n)
{
    int32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += text[i] == '.';
    return count;
}

void order_text_write(const struct order *order,
                      int32_t device,
                      int32_t slices,
                      struct text_buffer *out)
{
    bool in_pair = false;
    for (int32_t i = 0; i < order->n[device]; i++) {
        const int64_t at = order_at(order, device, i);
        const struct operation *op = &order->operations[at];
        text_buffer_add(out, "%s%s%s%d", i > 0 ? " " : "", order->paired[at] ? "[" : "",
                        names[op->type], op->item / slices);
        if (slices > 1)
            text_buffer_add(out, ":%d", op->item % slices);
        text_buffer_add(out, ".%d%s%s", op->stage, op->direction ? "r" : "",
                        in_pair ? "]" : "");
        in_pair = order->paired[at];
    }
}
