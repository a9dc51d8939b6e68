// SPDX-License-Identifier: Apache-2.0
// Options of a Megatron-LM command line under construction, with comments about them.
#ifndef PPS_NDSEARCH_LAUNCH_WORDS_H
#define PPS_NDSEARCH_LAUNCH_WORDS_H

#include "planner/nd/launch/launch.h"

#include <inttypes.h>

struct nd_words {
    struct textroom *text;
    struct textroom notes; // comment lines, printed after the options
    int n;
    const struct nd_launch *launch;
    const struct modeldesc *model;
    const struct nd_strategy *s;
};

static inline void words_begin(struct nd_words *w)
{
    textroom_add(w->text, "%s", w->n++ > 0 ? " \\\n" : "");
}

static inline void words_add_flag(struct nd_words *w, const char *name, bool on)
{
    if (!on)
        return;
    words_begin(w);
    textroom_add(w->text, "--%s", name);
}

static inline void words_add_word(struct nd_words *w, const char *name, const char *word)
{
    words_begin(w);
    textroom_add(w->text, "--%s %s", name, word);
}

static inline void words_add_number(struct nd_words *w, const char *name, int64_t value)
{
    words_begin(w);
    textroom_add(w->text, "--%s %" PRId64, name, value);
}

static inline void words_add_note(struct nd_words *w, const char *note)
{
    textroom_add(&w->notes, "# %s\n", note);
}

// Adds the options of the model's shape.
void nd_words_add_shape(struct nd_words *w);

#endif
