// SPDX-License-Identifier: Apache-2.0
// Interrupts: the first SIGINT or SIGTERM asks for an orderly end, the second ends at once. A time
// limit asks like the first.
#ifndef PPS_CLI_SIGNALS_H
#define PPS_CLI_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>

// Installs the handlers and returns the flag that the first signal raises. With
// interrupt_reads a signal also ends a wait for input (errno EINTR).
const atomic_bool *pps_signals_install(bool interrupt_reads);

// Raises the flag after so many seconds, at once where they are less than a millisecond, and returns
// it.
const atomic_bool *pps_signals_alarm(double seconds);

#endif
