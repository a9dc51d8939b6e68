// SPDX-License-Identifier: Apache-2.0
// Reads and writes the order of a device as text.
#include "kernels/common/plan/order_text.h"

#include <string.h>

static const char *const names[OPERATION_TYPES] = {"F", "B", "W", "BW", "R"};

// ---- reading ------------------------------------------------------------------------------------

static bool fail(const struct order_text_source *r, struct order_text_fault *fault,
                 const char *text)
{
    *fault = (struct order_text_fault){r->at, text};
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool skip(struct order_text_source *r, char c)
{
    if (r->at >= r->n || r->text[r->at] != c)
        return false;
    r->at++;
    return true;
}

static void skip_blanks(struct order_text_source *r)
{
    while (r->at < r->n && is_blank(r->text[r->at]))
        r->at++;
}

static bool read_number(struct order_text_source *r, int32_t most, int32_t *number,
                        struct order_text_fault *fault)
{
    int32_t value = 0;
    const size_t from = r->at;
    for (; r->at < r->n && is_digit(r->text[r->at]); r->at++) {
        const int32_t digit = r->text[r->at] - '0';
        if (value > (most - digit) / 10)
            return fail(r, fault, "the number is too large");
        value = value * 10 + digit;
    }
    *number = value;
    return r->at > from || fail(r, fault, "expected a number, as in F0.0");
}

static bool read_type(struct order_text_source *r, uint8_t *type,
                      struct order_text_fault *fault)
{
    for (unsigned t = OPERATION_TYPES; t-- > 0;) { // BW before B
        const size_t length = strlen(names[t]);
        if (r->n - r->at > length && memcmp(r->text + r->at, names[t], length) == 0 &&
            is_digit(r->text[r->at + length])) {
            r->at += length;
            *type = (uint8_t)t;
            return true;
        }
    }
    return fail(r, fault, "expected an operation F, B, W, BW or R, as in F0.0");
}

static bool read_operation(struct order_text_source *r, struct order_text_operation *op,
                           struct order_text_fault *fault)
{
    *op = (struct order_text_operation){.at = r->at};
    if (!read_type(r, &op->type, fault) ||
        !read_number(r, ORDER_TEXT_ITEMS - 1, &op->micro_batch, fault))
        return false;
    if (skip(r, ':') && !read_number(r, ORDER_TEXT_ITEMS - 1, &op->slice, fault))
        return false;
    if (!skip(r, '.'))
        return fail(r, fault, "expected . and the stage, as in F0.0");
    if (!read_number(r, PIPELINE_STAGES_MAX - 1, &op->stage, fault))
        return false;
    op->direction = skip(r, 'r');
    return true;
}

static bool ends_here(const struct order_text_source *r)
{
    return r->at == r->n || is_blank(r->text[r->at]);
}

int order_text_next(struct order_text_source *r, struct order_text_operation op[2],
                    struct order_text_fault *fault)
{
    skip_blanks(r);
    if (r->at == r->n)
        return 0;
    const int parts = skip(r, '[') ? 2 : 1;
    if (!read_operation(r, &op[0], fault))
        return -1;
    if (parts == 2) {
        skip_blanks(r);
        if (!read_operation(r, &op[1], fault))
            return -1;
        if (!skip(r, ']')) {
            fail(r, fault, "expected ] after the two operations of a pair");
            return -1;
        }
        if (op[0].type != OPERATION_F || op[1].type != OPERATION_BW) {
            *fault = (struct order_text_fault){
                op[0].at, "a pair has an F and then a BW, as in [F2.0 BW1.0]"};
            return -1;
        }
        op[0].paired = true;
    }
    if (!ends_here(r)) {
        fail(r, fault, "expected a space between two operations");
        return -1;
    }
    return parts;
}

static bool append(struct order *order, int32_t device, const struct order_text_operation *op,
                   int32_t slices)
{
    if (op->slice >= slices || op->micro_batch >= ORDER_TEXT_ITEMS / slices)
        return false;
    const int64_t at = order_at(order, device, order->n[device]++);
    order->operations[at] = (struct operation){.item = op->micro_batch * slices + op->slice,
                                               .stage = (int16_t)op->stage,
                                               .type = op->type,
                                               .direction = op->direction};
    order->paired[at] = op->paired;
    return true;
}

bool order_text_read(const char *text, size_t n, int32_t slices, struct order *order,
                     int32_t device, struct order_text_fault *fault)
{
    struct order_text_source source = {text, n, 0};
    struct order_text_operation op[2];
    for (int parts; (parts = order_text_next(&source, op, fault)) != 0;) {
        if (parts < 0)
            return false;
        *fault = (struct order_text_fault){op[0].at, "too many operations"};
        if (order->n[device] + parts > order->room)
            return false;
        for (int k = 0; k < parts; k++) {
            *fault =
                (struct order_text_fault){op[k].at, "the slice or the number is too large"};
            if (!append(order, device, &op[k], slices))
                return false;
        }
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

// ---- writing ------------------------------------------------------------------------------------

void order_text_write_operation(const struct operation *op, int32_t slices,
                                struct text_buffer *out)
{
    text_buffer_add(out, "%s%d", names[op->type], op->item / slices);
    if (slices > 1)
        text_buffer_add(out, ":%d", op->item % slices);
    text_buffer_add(out, ".%d%s", op->stage, op->direction ? "r" : "");
}

void order_text_write(const struct order *order, int32_t device, int32_t slices,
                      struct text_buffer *out)
{
    bool in_pair = false;
    for (int32_t i = 0; i < order->n[device]; i++) {
        const int64_t at = order_at(order, device, i);
        text_buffer_add(out, "%s%s", i > 0 ? " " : "", order->paired[at] ? "[" : "");
        order_text_write_operation(&order->operations[at], slices, out);
        if (in_pair)
            text_buffer_add(out, "]");
        in_pair = order->paired[at];
    }
}
