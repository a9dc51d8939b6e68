// SPDX-License-Identifier: Apache-2.0
// Tests PyTorch's CSV: grammar, checks of messages, and where a writer puts messages.
#include "kernels/schedule/orders/pytorch_csv.h"

#include "kernels/schedule/orders/order_document.h"

#include <criterion/criterion.h>
#include <string.h>

static bool read_text(struct order_document *document, const char *text,
                      struct pps_fault *fault)
{
    return order_document_read(document, text, strlen(text), fault);
}

// Reads a CSV and returns the order as text; the caller frees it.
static struct text_buffer order_of(const char *csv)
{
    struct order_document document;
    struct pps_fault fault;
    struct text_buffer text = {.text = NULL};
    cr_assert(read_text(&document, csv, &fault), "%s: %s", csv, fault.text);
    cr_assert_eq(document.source.form, ORDER_FORM_PYTORCH);
    struct pipeline *pipeline = order_document_pipeline(&document);
    cr_assert(order_write(ORDER_FORM_TEXT, pipeline, document.order, &text, &fault));
    pipeline_free(pipeline);
    order_document_free(&document);
    return text;
}

static const struct {
    const char *csv, *order;
} accepted[] = {
    {"0F0,0I0,0W0", "F0.0 B0.0 W0.0\n"},
    {"0F0,1F0,,1B0,0B0\n", "F0.0 F0.1 BW0.1 BW0.0\n"},
    {" 0F0 ,\t1F0, ,1B0 ,0B0\r\n\r\n", "F0.0 F0.1 BW0.1 BW0.0\n"},
    // rows differ in length; a step in which nothing happens begins the second
    {"0F0,0F1,,0B0,0B1\n,1F0,1B0,1F1,1B1\n", "F0.0 F1.0 BW0.0 BW1.0\nF0.1 BW0.1 F1.1 BW1.1\n"},
    // pairs
    {"0F0,1F0,(0F1;1B0)OVERLAP_F_B,1F1,(0F2;0B0)OVERLAP_F_B,1B1,1F2,1B2,0B1,0B2",
     "F0.0 F0.1 [F1.0 BW0.1] F1.1 [F2.0 BW0.0] BW1.1 F2.1 BW2.1 BW1.0 BW2.0\n"},
    // collectives on parameters
    {"0UNSHARD,0F0,0B0,0REDUCE_GRAD,0RESHARD", "F0.0 BW0.0\n"},
    // messages
    {"0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0", "F0.0 BW0.0\nF0.1 BW0.1\n"},
    {"0F0,0SEND_F0,0RECV_B0,0I0,0W0\n1RECV_F0,1F0,1I0,1W0,1SEND_B0",
     "F0.0 B0.0 W0.0\nF0.1 B0.1 W0.1\n"},
    {"00F00,0B000", "F0.0 BW0.0\n"},
};

Test(orders_pytorch, grammar)
{
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct text_buffer text = order_of(accepted[i].csv);
        cr_assert_str_eq(text.text, accepted[i].order, "%s", accepted[i].csv);
        text_buffer_free(&text);
    }
}

static const struct {
    const char *csv;
    int line, column;
    const char *place, *text;
} refused[] = {
    {"0F0,0X0,0B0", 1, 6, "row 1, cell 2 (0X0)", "expected the type"},
    {"0F0,0B0\n1F0,F1,1B0", 2, 5, "row 2, cell 2 (F1)", "expected a stage"},
    {"0F0,0B", 1, 7, "row 1, cell 2 (0B)", "expected the micro-batch"},
    {"0F0,0BW0", 1, 6, "row 1, cell 2 (0BW0)", "expected the type"},
    {"0F0;0B0", 1, 4, "row 1, cell 1 (0F0;0B0)", "expected a comma"},
    {"0F0,0UNSHARD0,0B0", 1, 13, "row 1, cell 2", "has no micro-batch"},
    {"0F0,0f0", 1, 6, "row 1, cell 2 (0f0)", "expected the type"},
    {"0F0,0B 0", 1, 7, "row 1, cell 2 (0B 0)", "expected the micro-batch"},
    {"0F0,-1B0", 1, 5, "row 1, cell 2", "expected a stage"},
    {"0F0,99999F0", 1, 5, "row 1, cell 2", "too large"},
    {"0F0,0B99999999999999999999", 1, 7, "row 1, cell 2", "too large"},
    {"(0B0;0F1)OVERLAP_F_B", 1, 2, "row 1, cell 1", "an F and then a B"},
    {"(0F1;0I0)OVERLAP_F_B", 1, 2, "row 1, cell 1", "an F and then a B"},
    {"(0F1)OVERLAP_F_B", 1, 5, "row 1, cell 1", "an F and then a B"},
    {"(0F1;0B0)", 1, 9, "row 1, cell 1", "expected )OVERLAP_F_B"},
    {"0F0,0B0\n\n1F0,1B0", 2, 1, "row 2, cell 1", "add its operations or remove the row"},
    {"0F0,0B0\n,,\n1F0,1B0", 2, 1, "row 2, cell 1", "add its operations or remove the row"},
    {"0F0,0B0\n1F0,0B1", 2, 5, "row 2, cell 2 (0B1)", "stage 0 is on rank 0 already"},
    {"0F0,0B0\n2F0,2B0", 2, 1, "row 2, cell 1 (2F0)", "stage 1 has no operations"},
    {"0F0,0B0,0F88888888", 1, 9, "row 1, cell 3", "the order has 3"},
    // messages
    {"0F0,0SEND_F0,0B0\n1F0,1B0", 1, 5, "row 1, cell 2 (0SEND_F0)",
     "the matching receive 1RECV_F0 is missing; add it to row 2"},
    {"0F0,0B0\n1RECV_F0,1F0,1B0", 2, 1, "row 2, cell 1 (1RECV_F0)",
     "the matching send 0SEND_F0 is missing; add it to row 1"},
    {"0F0,0B0\n1F0,1B0,1SEND_B0", 2, 9, "row 2, cell 3 (1SEND_B0)",
     "the matching receive 0RECV_B0 is missing; add it to row 1"},
    {"0SEND_F0,0F0,0B0\n1RECV_F0,1F0,1B0", 1, 1, "row 1, cell 1 (0SEND_F0)",
     "stands behind the forward"},
    {"0F0,0SEND_F0,0B0\n1F0,1RECV_F0,1B0", 2, 5, "row 2, cell 2 (1RECV_F0)",
     "stands before the forward"},
    {"0F0,0B0,0RECV_B0\n1F0,1B0,1SEND_B0", 1, 9, "row 1, cell 3 (0RECV_B0)",
     "stands before the backward"},
    {"0F0,0RECV_B0,0B0\n1F0,1SEND_B0,1B0", 2, 5, "row 2, cell 2 (1SEND_B0)",
     "stands behind the backward"},
    {"0F0,0SEND_F0,1RECV_F0,1F0,1B0,0B0", 1, 5, "row 1, cell 2", "both on this rank"},
    {"0F0,1SEND_F0,0B0\n1F0,1B0", 1, 5, "row 1, cell 2", "stage 1 is not on this rank"},
    {"0F0,7SEND_F0,0B0\n1F0,1B0", 1, 5, "row 1, cell 2", "stage 7 is not on this rank"},
    {"0F0,0B0,0SEND_B0\n1F0,1B0", 1, 9, "row 1, cell 3", "the first stage"},
    {"0F0,0B0\n1F0,1SEND_F0,1B0", 2, 5, "row 2, cell 2", "the last stage"},
    {"0F0,0SEND_F0,0SEND_F0,0B0\n1RECV_F0,1F0,1B0", 1, 14, "row 1, cell 3", "appears twice"},
    {"0F0,0SEND_F9,0B0\n1F0,1B0", 1, 5, "row 1, cell 2", "there is no 0F9"},
};

Test(orders_pytorch, faults)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct order_document document;
        struct pps_fault fault;
        cr_assert_not(read_text(&document, refused[i].csv, &fault), "%s", refused[i].csv);
        cr_assert(fault.line == refused[i].line && fault.column == refused[i].column,
                  "%s\n%d:%d: %s", refused[i].csv, fault.line, fault.column, fault.text);
        cr_assert(strncmp(fault.text, refused[i].place, strlen(refused[i].place)) == 0 &&
                      strstr(fault.text, refused[i].text) != NULL,
                  "%s\n%s", refused[i].csv, fault.text);
    }
}

static const struct {
    const char *order, *csv;
} messages[] = {
    // 1F1B, two ranks
    {"F0.0 F1.0 BW0.0 BW1.0\nF0.1 BW0.1 F1.1 BW1.1\n",
     "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
     "1RECV_F0,1F0,1RECV_F1,1B0,1SEND_B0,1F1,1B1,1SEND_B1\n"},
    // the turn of a V needs no message
    {"F0.0 F0.3 B0.3 W0.3 B0.0 W0.0\nF0.1 F0.2 B0.2 B0.1 W0.2 W0.1\n",
     "0F0,0SEND_F0,3RECV_F0,3F0,3I0,3SEND_B0,3W0,0RECV_B0,0I0,0W0\n"
     "1RECV_F0,1F0,2F0,2SEND_F0,2RECV_B0,2I0,1I0,1SEND_B0,2W0,1W0\n"},
    // a pair in a V: its backward has no message
    {"F0.0 F1.0 F0.3 BW0.3 F1.3 BW1.3 BW0.0 BW1.0\n"
     "F0.1 F0.2 F1.1 [F1.2 BW0.2] BW0.1 BW1.2 BW1.1\n",
     "0F0,0SEND_F0,0F1,0SEND_F1,3RECV_F0,3F0,3B0,3SEND_B0,3RECV_F1,3F1,0RECV_B0,3B1,3SEND_B1,"
     "0B0,"
     "0RECV_B1,0B1\n"
     "1RECV_F0,1F0,1RECV_F1,2F0,2SEND_F0,1F1,2RECV_B0,(2F1;2B0)OVERLAP_F_B,2SEND_F1,1B0,1SEND_"
     "B0,"
     "2RECV_B1,2B1,1B1,1SEND_B1\n"},
    // both messages of a pair leave behind it, the forward's first
    {"F0.0 F1.0 BW0.0 BW1.0\nF0.1 [F1.1 BW0.1] BW1.1\nF0.2 BW0.2 F1.2 BW1.2\n",
     "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
     "1RECV_F0,1F0,1SEND_F0,1RECV_F1,1RECV_B0,(1F1;1B0)OVERLAP_F_B,1SEND_F1,1SEND_B0,1RECV_B1,"
     "1B1,"
     "1SEND_B1\n"
     "2RECV_F0,2F0,2B0,2SEND_B0,2RECV_F1,2F1,2B1,2SEND_B1\n"},
};

Test(orders_pytorch, messages)
{
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        struct order_document document;
        struct pps_fault fault;
        struct text_buffer csv = {.text = NULL};
        cr_assert(read_text(&document, messages[i].order, &fault), "%s", fault.text);
        struct pipeline *pipeline = order_document_pipeline(&document);
        cr_assert(pytorch_csv_write(pipeline, document.order, true, &csv, &fault), "%s",
                  fault.text);
        cr_assert_str_eq(csv.text, messages[i].csv, "%s\n%s", csv.text, messages[i].csv);
        text_buffer_free(&csv);
        pipeline_free(pipeline);
        order_document_free(&document);
    }
}

Test(orders_pytorch, what_cannot_be_written)
{
    static const char *const texts[][2] = {
        {"F0.0 BW0.0 F0.1r BW0.1r\nF0.1 BW0.1 F0.0r BW0.0r\n", "bidirectional"},
        {"F0:0.0 F0:1.0 BW0:1.0 BW0:0.0\n", "slices"},
        {"F0.0 R0.0 BW0.0\n", "rank 0, position 1: PyTorch's CSV has no recomputed forwards"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct order_document document;
        struct pps_fault fault;
        struct text_buffer csv = {.text = NULL};
        cr_assert(read_text(&document, texts[i][0], &fault), "%s", fault.text);
        struct pipeline *pipeline = order_document_pipeline(&document);
        cr_assert_not(order_write(ORDER_FORM_PYTORCH, pipeline, document.order, &csv, &fault));
        cr_assert_not_null(strstr(fault.text, texts[i][1]), "%s", fault.text);
        cr_assert_eq(csv.n, 0);
        text_buffer_free(&csv);
        pipeline_free(pipeline);
        order_document_free(&document);
    }
}

// The pairs of the two ranks wait for each other.
Test(orders_pytorch, deadlock)
{
    struct order_document document;
    struct pps_fault fault;
    struct text_buffer csv = {.text = NULL};
    cr_assert(read_text(&document,
                        "F0.0 F0.3 BW0.3 [F1.0 BW0.0] F1.3 BW1.3 BW1.0\n"
                        "F0.1 F0.2 [F1.1 BW0.2] BW0.1 F1.2 BW1.2 BW1.1\n",
                        &fault),
              "%s", fault.text);
    struct pipeline *pipeline = order_document_pipeline(&document);
    cr_assert_not(pytorch_csv_write(pipeline, document.order, true, &csv, &fault));
    cr_assert_not_null(strstr(fault.text, "rank 0 waits for ever at position 3"), "%s",
                       fault.text);
    cr_assert_eq(csv.n, 0);
    pipeline_free(pipeline);
    order_document_free(&document);
}
