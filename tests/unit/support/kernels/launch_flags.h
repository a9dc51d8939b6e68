// SPDX-License-Identifier: Apache-2.0
// Option constraints of two training frameworks, taken from their public argument parsers:
// Megatron-LM with Megatron Core 0.14 to 0.19 (branches core_r0.14.0 to core_r0.19.0,
// megatron/training/arguments.py, megatron/core/transformer/transformer_config.py) and
// torchtitan (tag v0.2.2, torchtitan/config/job_config.py).
#pragma once

#include <stddef.h>

enum flag_kind {
    FLAG_ON,    // no value
    FLAG_WHOLE, // a whole number >= 1
    FLAG_WORD,  // one of the words
    FLAG_WORDS, // one or more of the words
    FLAG_TEXT,  // checked elsewhere
};

struct flag {
    const char *name;
    enum flag_kind kind;
    const char *words;    // allowed words
    const char *needs;    // "a|b c=x": a or b, and c with the value x
    const char *excludes; // in the same form; none may be set
};

// Lists that end with a flag without a name. Keys of torchtitan are "section.name".
extern const struct flag megatron_flags[], torchtitan_flags[];
