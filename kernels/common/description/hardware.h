// SPDX-License-Identifier: Apache-2.0
// Reads devices and clusters by name or from a document.
#pragma once

#include "base/document/fault.h"

#include <stdbool.h>
#include <stdint.h>

// Efficiencies of links by the size of a group: that of the largest entry not above the size.
enum { HARDWARE_SIZES = 6 };
struct hardware_sizes {
    struct {
        int64_t size;
        double value;
    } at[HARDWARE_SIZES]; // by size, ascending
    int n;                // 0: one value for all sizes
};

// How fast kernels of a shape are, as a grid of measured kernels has it. All 0: constants that hold for
// any device take its place.
struct hardware_shapes {
    double tile_m, tile_n; // rows and columns of a block of a matrix product
    double processors;     // that compute blocks at the same time
    double wave;           // share of the last, partly filled wave of blocks that is lost
    double half_k;         // depth of a product at half of its rate
    double half_length;    // tokens at which the attention kernel is half as fast
    double half_size;      // size of a head at which it is half as fast
    double backward;       // its rate backward over that forward
    double kernel;         // s, start and end of a kernel that is bound by memory
    double launch;         // s, launching one operator
};

struct hardware {
    char name[32];
    char base[32];                  // built-in record whose efficiencies it has; "": none
    double peak;                    // FLOP/s, bf16, dense
    double peak_fp8;                // FLOP/s, 8-bit products; 0: the device has none
    double hbm;                     // bytes/s
    double intra;                   // bytes/s a device and direction, within a node
    double inter;                   // bytes/s a device, across nodes
    double host;                    // bytes/s a device and direction, to the memory of its host
    int64_t node;                   // devices a node
    double alpha;                   // s, latency of a collective step
    double power, design_power;     // W; 0: unknown. Less power than designed slows products
    double memory;                  // bytes of a device; 0: unknown
    double gemm_eff, attention_eff; // fractions of peak: matrix products, attention kernel
    double memory_eff, link_eff;    // of hbm; of the links
    double fp8_eff;                 // fraction of peak_fp8: 8-bit matrix products
    struct hardware_shapes shapes;
    struct hardware_sizes within; // link_eff by devices of a node that a group spans
    struct hardware_sizes across; // link_eff by nodes of a group
    // Share of `intra` that all groups which span a node have together, as all of them cross the
    // bridge between the halves of the node; 0: every group has its own links.
    double shared_path;
    // Share of `inter` that a group of at least this many devices gets: the upper levels of the network
    // have fewer links than the nodes.
    struct hardware_sizes levels;
    double hop, across_most, bucket; // of the stack: what exchanges lose (stack.h)
    bool fp8;                        // its document gives the peak of 8-bit products as peak
    bool fused_ce;                   // fused cross-entropy
    bool changed;    // a document gives other rates or efficiencies than its built-in record
    bool calibrated; // on measurements of this device; otherwise inherited
};

// The built-in record; NULL where there is none of that name or maker's name, such as
// "A100-80GB". Case, spaces and dashes do not matter.
const struct hardware *hardware_find(const char *name);

// All built-in records in order of age; *n of them.
const struct hardware *hardware_all(int *n);

// The share of its rate that the power limit leaves to products.
double hardware_power_share(const struct hardware *hardware);

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
// alpha, memory (GiB or "80GB"), eg, ea, em, el, fused_ce, calibrated ... (model.md of ndsearch has
// all of them). el may be a list of pairs [ranks, el]; el_nodes is a list of pairs [nodes, el],
// levels a list of pairs [devices, share]. Missing fields come from
// its base; without a base, from the built-in record of its name. Without both, peak and the
// three rates are required, and the other fields come from the H100. If a rate or an efficiency
// is given, the efficiencies count as not calibrated unless the object sets `calibrated`.
bool hardware_read(struct hardware *hardware, const struct cJSON *item,
                   struct pps_fault *fault);

// Returns the record as an object that hardware_read reads again, with the name of a built-in record as
// base and all fields that differ from it, or all fields; NULL: out of memory. The caller frees it.
struct cJSON *hardware_document(const struct hardware *hardware);

// world_size, or nnodes x npus_per_node, must be given; the rest is 8 devices a node (or as many
// as the hardware record has), 58 GiB, no reserve, H100. hardware.node becomes node_devices.
bool cluster_read(struct cluster *cluster, const struct cJSON *document,
                  struct pps_fault *fault);

// Returns the cluster as a document that cluster_read reads as the same cluster; NULL: out of memory. The caller
// frees it.
struct cJSON *cluster_document(const struct cluster *cluster);

// Keys that cluster_read takes.
const struct docfields *cluster_keys(void);
