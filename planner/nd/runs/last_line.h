// SPDX-License-Identifier: Apache-2.0
// Finds the line of a log that tells best how a run ended.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum nd_line_kind {
    ND_LINE_NONE,
    ND_LINE_PLAIN,     // the last line that is not blank
    ND_LINE_EXCEPTION, // the last exception of Python
    ND_LINE_NO_MEMORY, // the first line about a lack of memory
};

struct nd_last_line {
    bool plain; // set by the caller: look for ND_LINE_PLAIN only
    enum nd_line_kind kind;
    char text[240]; // one line, printable
};

// Looks at the end of a text of n bytes. A later kind of nd_line_kind replaces an earlier one.
void nd_last_line_find(struct nd_last_line *line, const char *text, size_t n);

// Looks at the last 256 KiB of a log, if it can be read.
void nd_last_line_read(struct nd_last_line *line, const char *log);

// Looks at the other logs below a folder that were written since a time: frameworks write a log for
// each rank.
void nd_last_line_read_folder(struct nd_last_line *line, const char *folder, time_t since);
