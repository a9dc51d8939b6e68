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

// For parts of a run that have nothing to close: until the call with NULL, a signal or the alarm
// ends the program at once, with `line` (constant, newline included) on stderr and exit status 5.
void pps_signals_end_at_once(const char *line);

#endif
