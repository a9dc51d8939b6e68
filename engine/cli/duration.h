// SPDX-License-Identifier: Apache-2.0
// Times on the command line.
#ifndef PPS_CLI_DURATION_H
#define PPS_CLI_DURATION_H

#include "command.h"

// --name as seconds: 90, 90s, 1.5h, 1h30m, 2d. *seconds keeps what it holds where the option is
// not given. PPS_E_INPUT for anything else and for 0.
PPS_MUST_CHECK enum pps_status pps_arg_duration(const struct pps_args *args,
                                                const char *name,
                                                double *seconds,
                                                struct pps_error *err);

#endif
