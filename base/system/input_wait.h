// SPDX-License-Identifier: Apache-2.0
// Waits for input that may never come, such as the other end of a pipe.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

// Waits until a read of fd would not block. Returns false if the flag `stop` (NULL: none) is set
// before, at most 50 ms after that.
bool pps_input_wait(int fd, const atomic_bool *stop);

// Returns the size of a regular file in bytes, or 0.
double pps_input_bytes(int fd);
