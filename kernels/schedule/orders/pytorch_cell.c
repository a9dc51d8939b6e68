// SPDX-License-Identifier: Apache-2.0
// Reads a cell of PyTorch's CSV.
#include "kernels/schedule/orders/pytorch_private.h"

#include <string.h>

const char *const pytorch_names[PYTORCH_TYPES] = {
    "F",      "I",      "W",       "B",       "SEND_F",      "RECV_F",
    "SEND_B", "RECV_B", "UNSHARD", "RESHARD", "REDUCE_GRAD",
};

struct cell {
    const char *text;
    size_t at, to;
    struct order_text_fault *fault;
};

static bool fail(const struct cell *c, size_t at, const char *text)
{
    *c->fault = (struct order_text_fault){at, text};
    return false;
}

static bool is_digit(const struct cell *c)
{
    return c->at < c->to && c->text[c->at] >= '0' && c->text[c->at] <= '9';
}

static bool read_number(struct cell *c, int32_t most, int32_t *number, const char *wanted)
{
    const size_t from = c->at;
    *number = 0;
    for (; is_digit(c); c->at++) {
        const int32_t digit = c->text[c->at] - '0';
        if (*number > (most - digit) / 10)
            return fail(c, from, "the number is too large");
        *number = *number * 10 + digit;
    }
    return c->at > from || fail(c, from, wanted);
}

static bool read_type(struct cell *c, enum pytorch_type *type)
{
    const size_t from = c->at;
    while (c->at < c->to &&
           ((c->text[c->at] >= 'A' && c->text[c->at] <= 'Z') || c->text[c->at] == '_'))
        c->at++;
    for (int t = 0; t < PYTORCH_TYPES; t++)
        if (strlen(pytorch_names[t]) == c->at - from &&
            memcmp(pytorch_names[t], c->text + from, c->at - from) == 0) {
            *type = (enum pytorch_type)t;
            return true;
        }
    return fail(
        c, from,
        "expected the type behind the stage: F, I, W, B, SEND_F, RECV_F, SEND_B, RECV_B, "
        "UNSHARD, RESHARD or REDUCE_GRAD");
}

static bool read_action(struct cell *c, struct pytorch_action *action)
{
    *action = (struct pytorch_action){.at = c->at, .micro_batch = -1};
    if (!read_number(c, PIPELINE_STAGES_MAX - 1, &action->stage,
                     "expected a stage, a type and a micro-batch, as in 1F3") ||
        !read_type(c, &action->type))
        return false;
    if (action->type < PYTORCH_UNSHARD)
        return read_number(c, ORDER_TEXT_ITEMS - 1, &action->micro_batch,
                           "expected the micro-batch behind the type, as in 1F3");
    return !is_digit(c) ||
           fail(c, c->at, "this type has no micro-batch, as in 1UNSHARD; remove the number");
}

static bool skip(struct cell *c, const char *word)
{
    const size_t n = strlen(word);
    if (c->to - c->at < n || memcmp(c->text + c->at, word, n) != 0)
        return false;
    c->at += n;
    return true;
}

static bool read_pair(struct cell *c, struct pytorch_action action[2])
{
    static const char form[] = "a pair holds an F and then a B, as in (0F5;7B3)OVERLAP_F_B";
    return read_action(c, &action[0]) && (skip(c, ";") || fail(c, c->at, form)) &&
           read_action(c, &action[1]) &&
           (skip(c, ")OVERLAP_F_B") || fail(c, c->at, "expected )OVERLAP_F_B")) &&
           ((action[0].type == PYTORCH_F && action[1].type == PYTORCH_B) ||
            fail(c, action[0].at, form));
}

int pytorch_cell_read(const char *text, size_t from, size_t to, struct pytorch_action action[2],
                      struct order_text_fault *fault)
{
    struct cell c = {text, from, to, fault};
    if (from == to)
        return 0;
    const int parts = skip(&c, "(") ? 2 : 1;
    if (!(parts == 2 ? read_pair(&c, action) : read_action(&c, &action[0])))
        return -1;
    if (c.at == to)
        return parts;
    fail(&c, c.at, "expected a comma or the end of the line behind the action");
    return -1;
}
