// SPDX-License-Identifier: Apache-2.0
// Lists the families of pipeline schedules by name. One table serves the kernel, the commands, help and
// documentation.
#pragma once

#include "kernels/schedule/families/family.h"

// All families but those of classes.def, in the order of the documentation, ended with NULL.
extern const struct family *const families[];

// The portfolio of all other families (best.c).
extern const struct family family_best;

// Returns the family of this name, or of its alias (1f1b: one_f_one_b), those of classes.def included. NULL: none.
const struct family *family_named(const char *name);
