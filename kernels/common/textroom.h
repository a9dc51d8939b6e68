// SPDX-License-Identifier: Apache-2.0
// Text that grows. Whoever writes one need not ask after every line: memory that runs out is told
// at the end.
#ifndef PPS_TEXTROOM_H
#define PPS_TEXTROOM_H

#include <stdbool.h>
#include <stddef.h>

struct textroom {
    char *text; // n bytes, and a NUL after them; NULL while empty
    size_t n, cap;
    bool failed; // no memory; what was added since is lost
};

// All zero is an empty room.
void textroom_add(struct textroom *room, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void textroom_add_bytes(struct textroom *room, const char *bytes, size_t n);
// The fewest digits that read back as the same number.
void textroom_add_number(struct textroom *room, double value);
void textroom_free(struct textroom *room);

#endif
