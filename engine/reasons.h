// SPDX-License-Identifier: Apache-2.0
// Why points are left out, in words for people. A rule is what points must satisfy, a kernel's
// reason what is true of those left out: bare, the two look alike.
#ifndef PPS_REASONS_H
#define PPS_REASONS_H

#include "space.h"

enum { PPS_REASON_WORDS = PPS_REASON_TEXT + 24 };

// Words that follow "points": "not satisfying n > 4", "where sync_freq > n", "with n outside its
// range". One line, whatever the experiment's text; returns words. reason < space->n_reasons.
const char *pps_reason_words(const struct pps_space *space,
                             int reason,
                             char words[PPS_REASON_WORDS]);

#endif
