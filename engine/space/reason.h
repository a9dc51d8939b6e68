// SPDX-License-Identifier: Apache-2.0
// Describes in words why points are skipped. Points must satisfy a rule, but a kernel's reason
// is true of the skipped points; the words show which of the two it is.
#ifndef PPS_ENGINE_SPACE_REASON_H
#define PPS_ENGINE_SPACE_REASON_H

struct pps_space;

enum {
    PPS_MAX_REASONS = 48, // rules and kernel reasons together
    PPS_REASON_TEXT = 96,
    PPS_REASON_WORDS = PPS_REASON_TEXT + 24,
};

// Writes words that follow "points": "not satisfying n > 4", "where sync_freq > n", "with n
// outside its range". Always one line; needs reason < space->n_reasons. Returns words.
const char *pps_reason_words(const struct pps_space *space,
                             int reason,
                             char words[PPS_REASON_WORDS]);

#endif
