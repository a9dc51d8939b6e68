// SPDX-License-Identifier: Apache-2.0
// Writes a strategy into a user's torchtitan configuration.
#include "planner/frameworks/framework_private.h"
#include "planner/frameworks/torchtitan_private.h"

bool torchtitan_write(struct framework_writer *w, const struct plaindoc *doc)
{
    (void)w;
    (void)doc;
    return true;
}
