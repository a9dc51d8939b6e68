// SPDX-License-Identifier: Apache-2.0
// Ends of names, strings and statements in the text of a Python file. Offsets count bytes from the beginning
// of the text, which ends with a zero byte.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Says if a name can contain the character.
bool python_is_name(char c);

// Returns the offset behind the string that begins here.
size_t python_skip_string(const char *text, size_t at);

// Skips blanks and comments; `lines`: line ends, too.
size_t python_skip_blanks(const char *text, size_t at, bool lines);

// Returns the offset of the first of these characters outside of strings and brackets, or of a bracket that
// closes more than was opened.
size_t python_skip_to(const char *text, size_t at, const char *ends);

// Returns the end of the statement that begins here.
size_t python_end_of_statement(const char *text, size_t at);

// Returns the number of blanks before the first word of the line.
size_t python_indent_of(const char *text, size_t at);
