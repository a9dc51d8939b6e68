// SPDX-License-Identifier: Apache-2.0
// The line of a log that tells how a run ended.
#include "planner/nd/runs/last_line.h"

#include <criterion/criterion.h>
#include <string.h>

// Catches the last line of a clean-up in place of the reason, the exception of a launcher in place of
// that of its worker, and warnings taken for exceptions.
Test(last_line, reasons)
{
    static const struct {
        const char *log;
        enum nd_line_kind kind;
        const char *line;
    } cases[] = {
        {"", ND_LINE_NONE, ""},
        {"\n \n\t\n", ND_LINE_NONE, ""},
        {"first\n  last\n\n", ND_LINE_PLAIN, "last"},
        {"no newline", ND_LINE_PLAIN, "no newline"},
        {" 10%|#   |\r 50%|##  |\r100%|####| done\n", ND_LINE_PLAIN, "100%|####| done"},
        {"windows\r\n", ND_LINE_PLAIN, "windows"},
        {"\033[31m[rank0]\033[0m step: 1\n", ND_LINE_PLAIN, "[rank0] step: 1"},
        {"bad \xff\x01 bytes\n", ND_LINE_PLAIN, "bad ?? bytes"},
        {"ValueError: no\ncleaning up\n", ND_LINE_EXCEPTION, "ValueError: no"},
        {"KeyError: 'a'\nRuntimeError: b\nbye\n", ND_LINE_EXCEPTION, "RuntimeError: b"},
        {"KeyboardInterrupt\nbye\n", ND_LINE_EXCEPTION, "KeyboardInterrupt"},
        {"[rank3]: ValueError: no\ntorch.distributed.elastic.multiprocessing.errors."
         "ChildFailedError: \n====\n",
         ND_LINE_EXCEPTION, "[rank3]: ValueError: no"},
        {"a.py:3: UserWarning: slow\nUserWarning: slow\n", ND_LINE_PLAIN, "UserWarning: slow"},
        {"Error: a\n", ND_LINE_PLAIN, "Error: a"},
        {"MyError in text\n", ND_LINE_PLAIN, "MyError in text"},
        {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
         "RuntimeError: other\n",
         ND_LINE_NO_MEMORY,
         "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"},
        {"RuntimeError: Memory not enough: Device(id:0) memory isn't enough and alloc failed\n"
         "x out of memory\n",
         ND_LINE_NO_MEMORY,
         "RuntimeError: Memory not enough: Device(id:0) memory isn't enough and alloc failed"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct nd_last_line line = {.kind = ND_LINE_NONE};
        nd_last_line_find(&line, cases[c].log, strlen(cases[c].log));
        cr_expect_eq(line.kind, cases[c].kind, "%s: %d", cases[c].log, line.kind);
        cr_expect_str_eq(line.text, cases[c].line, "%s: %s", cases[c].log, line.text);
    }
}

// Catches a successful run that is described by an exception which it handled.
Test(last_line, plain)
{
    static const char log[] = "CUDA out of memory, trying again\nRuntimeError: x\nsaved\n";
    struct nd_last_line line = {.plain = true};
    nd_last_line_find(&line, log, strlen(log));
    cr_expect_eq(line.kind, ND_LINE_PLAIN);
    cr_expect_str_eq(line.text, "saved");
}

Test(last_line, long_lines_are_cut_between_characters)
{
    char log[4096];
    struct nd_last_line line = {.kind = ND_LINE_NONE};
    memset(log, 'a', sizeof log);
    for (size_t k = 2; k + 1 < sizeof log; k += 2)
        memcpy(log + k, "\xc3\xa4", 2);
    nd_last_line_find(&line, log, sizeof log - 1);
    cr_assert_eq(strlen(line.text), sizeof line.text - 1);
    cr_assert_eq(line.text[sizeof line.text - 2], '?');
}
