// SPDX-License-Identifier: Apache-2.0
// Collects the options of a Megatron-LM command line, and comments about them.
#pragma once

#include "planner/nd/launch/launch.h"

#include <inttypes.h>

struct nd_megatron_options {
    struct text_buffer *text;
    struct text_buffer notes; // comment lines, printed after the options
    int n;
    const struct nd_launch *launch;
    const struct modeldesc *model;
    const struct nd_strategy *s;
};

static inline void option_begin(struct nd_megatron_options *w)
{
    text_buffer_add(w->text, "%s", w->n++ > 0 ? " \\\n" : "");
}

static inline void option_add_flag(struct nd_megatron_options *w, const char *name, bool on)
{
    if (!on)
        return;
    option_begin(w);
    text_buffer_add(w->text, "--%s", name);
}

static inline void option_add_word(struct nd_megatron_options *w, const char *name,
                                   const char *word)
{
    option_begin(w);
    text_buffer_add(w->text, "--%s %s", name, word);
}

static inline void option_add_number(struct nd_megatron_options *w, const char *name,
                                     int64_t value)
{
    option_begin(w);
    text_buffer_add(w->text, "--%s %" PRId64, name, value);
}

static inline void option_add_note(struct nd_megatron_options *w, const char *note)
{
    text_buffer_add(&w->notes, "# %s\n", note);
}

// Adds the options of the model's shape, and of the kinds of its layers.
void nd_megatron_add_shape(struct nd_megatron_options *w);
void nd_megatron_add_kinds(struct nd_megatron_options *w);
