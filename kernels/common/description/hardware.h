// SPDX-License-Identifier: Apache-2.0
// Reads devices and clusters by name or from a document.
#ifndef PPS_COMMON_DESCRIPTION_HARDWARE_H
#define PPS_COMMON_DESCRIPTION_HARDWARE_H

#include "base/document/fault.h"

#include <stdbool.h>
#include <stdint.h>

struct hardware {
    char name[32];
    double peak;                    // FLOP/s, bf16, dense
    double hbm;                     // bytes/s
    double intra;                   // bytes/s a device and direction, within a node
    double inter;                   // bytes/s a device, across nodes
    int64_t node;                   // devices a node
    double alpha;                   // s, latency of a collective step
    double memory;                  // bytes of a device; 0: unknown
    double gemm_eff, attention_eff; // fractions of peak: matrix products, attention kernel
    double memory_eff, link_eff;    // of hbm; of the links
    bool fused_ce;                  // fused cross-entropy
    bool calibrated;                // on measurements of this device; otherwise inherited
};

// The built-in record; NULL where there is none of that name or maker's name, such as
// "A100-80GB". Case, spaces and dashes do not matter.
const struct hardware *hardware_find(const char *name);

// All built-in records in order of age; *n of them.
const struct hardware *hardware_all(int *n);

struct cluster {
    int64_t world_size;   // N devices
    int64_t node_devices; // of one fast domain
    double memory_limit;  // bytes a device may use
    double reserve;       // bytes of these that framework and communication buffers take
    struct hardware hardware;
};

struct cJSON;
struct docfields;

// A name, or an object with the fields of a record: name, base, peak, hbm, intra, inter, node,
// alpha, memory (GiB or "80GB"), eg, ea, em, el, fused_ce, calibrated. Missing fields come from
// its base; without a base, from the built-in record of its name. Without both, peak and the
// three rates are required, and the other fields come from the H100. If a rate or an efficiency
// is given, the efficiencies count as not calibrated unless the object sets `calibrated`.
bool hardware_read(struct hardware *hardware,
                   const struct cJSON *item,
                   struct pps_fault *fault);

// world_size, or nnodes x npus_per_node, must be given; the rest is 8 devices a node (or as many
// as the hardware record has), 58 GiB, no reserve, H100. hardware.node becomes node_devices.
bool cluster_read(struct cluster *cluster,
                  const struct cJSON *document,
                  struct pps_fault *fault);

// Keys that cluster_read takes.
const struct docfields *cluster_keys(void);

#endif
