// SPDX-License-Identifier: Apache-2.0
// Writes cost tables as JSON that cost_tables_read reads.
#pragma once

#include "base/text/text_buffer.h"
#include "kernels/dynapipe/costs/cost_tables.h"

// Appends the tables of one degree as an object, numbers with five significant digits.
void cost_tables_write(const struct cost_tables *tables, struct text_buffer *out);
