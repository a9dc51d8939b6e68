// SPDX-License-Identifier: Apache-2.0
// Describes in words why points are skipped.
#include "engine/space/reason.h"

#include "engine/space/space.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *pps_reason_words(const struct pps_space *space,
                             int reason,
                             char words[PPS_REASON_WORDS])
{
    const bool is_rule = reason < space->n_rules;
    const char *lead = is_rule                          ? "not satisfying"
                       : reason >= space->kernel_reason ? "where"
                                                        : "with";
    // Reasons truncate long rules.
    const bool cut = is_rule && strlen(space->rules[reason].text) >= PPS_REASON_TEXT;
    snprintf(words, PPS_REASON_WORDS, "%s %s%s", lead, space->reasons[reason],
             cut ? "..." : "");
    for (char *at = words; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            *at = ' ';
    return words;
}
