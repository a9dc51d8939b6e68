// SPDX-License-Identifier: Apache-2.0
// Handles signals: the first SIGINT or SIGTERM sets a stop flag, the second ends the program at
// once. SIGHUP sets the flag, unless it is ignored when the program starts (nohup). A time limit
// sets the same flag.
#pragma once

#include <stdatomic.h>

// Installs the handlers and returns the stop flag. A blocking read continues after a signal.
atomic_bool *pps_signals_install(void);

// Sets the stop flag after `seconds`, at once if this is less than a millisecond. Returns the
// flag.
atomic_bool *pps_signals_alarm(double seconds);

// For parts of a run that have nothing to close: until the call with NULL, a signal or the alarm
// ends the program at once, with `line` (constant, newline included) on stderr and exit status 5.
void pps_signals_end_at_once(const char *line);
