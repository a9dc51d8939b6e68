// SPDX-License-Identifier: Apache-2.0
// Suggestions: which names are near and, as important, which are not.
#include "base/text/nearest.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const names[] = {
    "n", "sync_freq", "fwd_len", "bwd_len", "sync_base_len", "fwd_impact", "zero-bubble"};
enum { N_NAMES = sizeof names / sizeof names[0] };

struct row {
    const char *word, *wanted; // wanted NULL: no suggestion
};

Test(suggest, nearest)
{
    static const struct row rows[] = {
        {"sync_frq", "sync_freq"},
        {"sync-freq", "sync_freq"},
        {"SYNC_FREQ", "sync_freq"},
        {"sync_freqq", "sync_freq"},
        {"snyc_freq", "sync_freq"}, // a swap counts as one edit
        {"fwd_lne", "fwd_len"},
        {"fwdlen", "fwd_len"},
        {"fwd_impcat_", "fwd_impact"}, // a swap and a deletion, within a third of the word
        {"bwd_lem", "bwd_len"},
        {"fwd_imapct", "fwd_impact"},
        {"zero_bubble", "zero-bubble"},
        {"N", "n"},
        {"nn", "n"},
        {"n", "n"},
        {"x", NULL}, // no character would match
        {"", NULL},
        {"length", NULL},
        {"frequency", NULL},
        {"sync", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *got = pps_suggest(rows[i].word, names, N_NAMES);
        bool right = rows[i].wanted == NULL ? got == NULL
                                            : got != NULL && strcmp(got, rows[i].wanted) == 0;
        cr_assert(right, "\"%s\" gives %s", rows[i].word, got != NULL ? got : "nothing");
    }
}

Test(suggest, hostile_words)
{
    static char word[100000];
    memset(word, 'n', sizeof word - 1);
    cr_assert_null(pps_suggest(word, names, N_NAMES));
    cr_assert_null(pps_suggest("n", names, 0));
}

// Of equally near names, the one with the same start wins, then the first.
Test(suggest, ties)
{
    static const char *const flavors[] = {"1B", "8B", "70B"};
    cr_expect_str_eq(pps_suggest("71B", flavors, 3), "70B");
    cr_expect_str_eq(pps_suggest("2B", flavors, 3), "1B");
    cr_assert_str_eq(pps_suggest("cwd_len", names, N_NAMES), "fwd_len");
}

// Catches a hint where no name is near, and a hint without room for the name.
Test(suggest, hints)
{
    static const char *const longest[] = {
        "a123456789b123456789c123456789d123456789e123456789f123456789g123"};
    cr_assert_str_eq(pps_did_you_mean("fwd_lne", names, N_NAMES).text,
                     "; did you mean fwd_len?");
    cr_assert_str_eq(pps_did_you_mean("length", names, N_NAMES).text, "");
    const struct pps_hint hint = pps_did_you_mean(longest[0], longest, 1);
    cr_assert(strstr(hint.text, longest[0]) != NULL && hint.text[strlen(hint.text) - 1] == '?');
}
