// SPDX-License-Identifier: Apache-2.0
// Prints texts of help in lines of at most 80 columns.
#pragma once

#include <stddef.h>
#include <stdio.h>

enum { PPS_WRAP_WIDTH = 80 };

// Prints a text and a newline. `at` columns of the line are taken; further lines are indented by `indent`.
void pps_wrap_print(FILE *out, const char *text, size_t at, size_t indent);

// Prints paragraphs whose lines are already broken. What does not fit into a line goes to the next line of the paragraph.
// An indented line is a command, which is kept, or a name and a text with two blanks between.
void pps_wrap_paragraphs(FILE *out, const char *text);
