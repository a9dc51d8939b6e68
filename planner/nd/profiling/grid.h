// SPDX-License-Identifier: Apache-2.0
// A grid of kernels that were measured on one device (sweep_configs/measure/device_grid.py), and the
// efficiencies by shape that explain it.
#pragma once

#include "base/text/status.h"
#include "kernels/common/description/hardware.h"

#include <stdbool.h>
#include <stddef.h>

enum nd_grid_kind {
    ND_GRID_PRODUCT,
    ND_GRID_PRODUCT8, // of 8-bit numbers
    ND_GRID_EXPERTS,  // products of several experts in one kernel
    ND_GRID_ATTENTION,
    ND_GRID_ATTENTION_BACKWARD,
    ND_GRID_MEMORY, // kernels bound by memory
    ND_GRID_KINDS
};

struct nd_grid_row {
    enum nd_grid_kind kind;
    double m, n, k;      // of a product
    double experts;      // with so many experts, of m rows each
    double length, size; // of attention: tokens, mean size of a head's queries and values
    double flops;        // of attention
    double bytes;        // of a kernel bound by memory
    double seconds;
    bool held; // out of the fit that is judged
};

struct nd_grid {
    struct nd_grid_row *rows;
    size_t n, room;
    char device[64];   // as PyTorch names it; "": unknown
    double processors; // of the device; 0: unknown
    double launch;     // s, one operator; 0: not measured
};

// Reads the lines of a grid. Lines of other sections, and of measurements that failed, are passed over.
// name: of the file in errors. The caller frees the grid with nd_grid_free() in every case.
PPS_MUST_CHECK enum pps_status nd_grid_read(struct nd_grid *grid, const char *name,
                                            const char *text, struct pps_error *err);
void nd_grid_free(struct nd_grid *grid);

// Returns the seconds of a measured kernel by the record of a device.
double nd_grid_predict(const struct nd_grid_row *row, const struct hardware *hardware);

// Fits the efficiencies of the device to the rows, or to those that are not held out. A kind of which
// there are fewer than ND_GRID_FEWEST rows leaves its figures as they are.
enum { ND_GRID_FEWEST = 6 };
void nd_grid_fit(const struct nd_grid *grid, bool all, struct hardware *hardware);

// Mean and largest absolute error of the held-out rows of a kind.
struct nd_grid_error {
    size_t rows, held; // of the kind
    double mean, largest;
};
struct nd_grid_error nd_grid_error_of(const struct nd_grid *grid, enum nd_grid_kind kind,
                                      const struct hardware *hardware);

const char *nd_grid_kind_name(enum nd_grid_kind kind);
