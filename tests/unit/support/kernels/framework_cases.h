// SPDX-License-Identifier: Apache-2.0
// Texts of frameworks' configurations, and what their readers must make of them.
#pragma once

#include "kernels/frameworks/framework.h"

struct framework_case {
    const char *text;
    const char *json;         // ' for ": members that the parts must have; null: must not have
    const char *not_modelled; // "line:column key; line:column key"; "": none; NULL: any
    const char *cannot_run;   // "line:column reason"; NULL: it can run
};

// Reads every text and compares. A text that is refused, or differs, fails the test.
void framework_cases_check(enum plaindoc_form form, const struct framework_case *rows,
                           size_t n);
// The same with what the reader may know beside the text.
void framework_cases_check_beside(enum plaindoc_form form,
                                  const struct framework_beside *beside,
                                  const struct framework_case *rows, size_t n);
