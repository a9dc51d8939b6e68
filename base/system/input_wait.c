// SPDX-License-Identifier: Apache-2.0
// Waits for input with poll().
#include "base/system/input_wait.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/stat.h>

#define WAIT_MS 50 // between two looks at the stop flag

// A signal is usually delivered to another thread, so it does not end a blocking read.
bool pps_input_wait(int fd, const atomic_bool *stop)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (stop != NULL) {
        if (atomic_load_explicit(stop, memory_order_relaxed))
            return false;
        const int n = poll(&input, 1, WAIT_MS);
        if (n > 0 || (n < 0 && errno != EINTR))
            break;
    }
    return true;
}

double pps_input_bytes(int fd)
{
    struct stat at;
    return fstat(fd, &at) == 0 && S_ISREG(at.st_mode) ? (double)at.st_size : 0;
}
