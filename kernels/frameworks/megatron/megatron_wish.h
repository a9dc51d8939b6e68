// SPDX-License-Identifier: Apache-2.0
// The arguments that a configuration of Megatron-LM is to have, derived from settings and from the
// arguments that it has. Private to megatron*.c.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/frameworks/megatron/megatron_private.h"

enum megatron_change {
    MG_KEEP,
    MG_SET, // `text`: the value; "" of a flag
    MG_REMOVE,
};

struct megatron_wish {
    enum megatron_change change;
    size_t text; // offset in `texts`
};

struct megatron_wishes {
    const struct megatron *now; // as the file is
    const struct framework_settings *settings;
    struct pps_fault *fault;
    struct megatron_wish of[N_MEGATRON_KEYS];
    struct text_buffer texts; // each ends with NUL
    struct text_buffer notes; // comment lines on what Megatron-LM cannot express
    int64_t pp, vp, layers;   // wanted; layers without MTP layers
    int64_t *decoders;        // [chunk * pp + stage], without MTP layers; freed by the owner
};

// Wish values. A value that the file has already is kept; `otherwise` is the value of a missing
// argument.
void megatron_want(struct megatron_wishes *w, enum megatron_key key, const char *text);
void megatron_want_number(struct megatron_wishes *w, enum megatron_key key, int64_t value,
                          int64_t otherwise);
void megatron_want_flag(struct megatron_wishes *w, enum megatron_key key, bool on);
void megatron_want_none(struct megatron_wishes *w, enum megatron_key key);

// Fills the fault; false.
bool megatron_cannot(struct megatron_wishes *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Derive all wishes. false: the settings cannot be expressed, the fault is set.
bool megatron_wish_all(struct megatron_wishes *w);
bool megatron_wish_split(struct megatron_wishes *w);     // megatron_wish_split.c
bool megatron_wish_recompute(struct megatron_wishes *w); // megatron_wish_recompute.c

// Changes the keys of a YAML document (megatron_write_yaml.c).
bool megatron_change_yaml(struct framework_writer *w, const struct plaindoc *document,
                          const struct megatron_wishes *wishes);
