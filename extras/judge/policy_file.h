// SPDX-License-Identifier: Apache-2.0
// Reads policies from JSON files.
#pragma once

#include "base/text/status.h"
#include "kernels/schedule/policy/policy.h"

// Reads the policy of a file. The caller frees it with policy_free. An error has the line and the column.
PPS_MUST_CHECK enum pps_status policy_file_read(const char *path, struct policy **policy,
                                                struct pps_error *err);
