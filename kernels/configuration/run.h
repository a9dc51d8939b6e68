// SPDX-License-Identifier: Apache-2.0
// Reads the configuration of a run document for kernels.
#pragma once

#include "kernels/common/description/run_document.h"
#include "kernels/configuration/configuration.h"

// Reads a configuration that can run. cluster: a document whose devices price it; the run document says how many there
// are. NULL: H100 devices. Returns false with a fault. The
// caller frees the configuration with configuration_free in any case.
bool configuration_read_run(struct configuration *configuration, const struct rundoc *parts,
                            const struct cJSON *cluster, struct pps_fault *fault);
