// SPDX-License-Identifier: Apache-2.0
// What the parts of torchtitan's writer share. Private to torchtitan_write*.c.
#ifndef PPS_KERNELS_FRAMEWORKS_TORCHTITAN_WRITE_PRIVATE_H
#define PPS_KERNELS_FRAMEWORKS_TORCHTITAN_WRITE_PRIVATE_H

#include "base/edit/toml_edit.h"
#include "kernels/frameworks/framework_private.h"
#include "kernels/frameworks/torchtitan_private.h"

struct titan_writer {
    const struct framework_settings *settings;
    const struct plaindoc *doc;
    struct titan_source source;
    struct titan_config old; // of the file
    struct titan_config now; // what the file is to contain
    struct toml_edit edit;
};

// Set a key whose default in torchtitan is known: a missing key is not added if it has this value.
// Return false with a fault.
bool titan_set_number(struct titan_writer *t,
                      enum titan_key key,
                      int64_t value,
                      int64_t normal);
bool titan_set_text(struct titan_writer *t,
                    enum titan_key key,
                    const char *value,
                    const char *normal);

// Return false with a fault: a place of the text does not allow the edit.
bool titan_set_value(struct titan_writer *t, enum titan_key key, const cJSON *value);
bool titan_remove(struct titan_writer *t, enum titan_key key);

// Writes schedule and layers of the stages, and fills now.layers, now.vp and now.v_shape. The
// degrees of `now` are known.
bool titan_write_stages(struct titan_writer *t);

// Writes recomputation. The layers of `now` are known.
bool titan_write_recompute(struct titan_writer *t);

#endif
