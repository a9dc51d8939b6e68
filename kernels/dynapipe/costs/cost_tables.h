// SPDX-License-Identifier: Apache-2.0
// Holds measured costs of one layer over rectangular grids of micro-batch size and length, for one tensor-parallel degree,
// and interpolates between them. Times are in ms, memory in MB (10^6 bytes).
#pragma once

#include "kernels/dynapipe/split/group_cost.h"

enum { COST_NODES_MAX = 1024 }; // of an axis

enum cost_axis {
    COST_ROWS,   // samples of a micro-batch
    COST_INPUT,  // padded length
    COST_TARGET, // padded length of the target; no nodes without a decoder
    COST_AXES,
};

enum cost_quantity {
    COST_ENCODER_FORWARD,
    COST_ENCODER_BACKWARD,
    COST_DECODER_FORWARD, // the decoder's are over all three axes
    COST_DECODER_BACKWARD,
    COST_POSTPROCESS_FORWARD, // output head and loss; over rows and target if there is a decoder
    COST_POSTPROCESS_BACKWARD,
    COST_ENCODER_STORED, // kept from forward to backward
    COST_DECODER_STORED,
    COST_ENCODER_PEAK, // highest additional memory while a forward runs
    COST_DECODER_PEAK,
    COST_QUANTITIES,
};

extern const char
    *const cost_quantity_names[COST_QUANTITIES]; // "encoder_fw", ..., "decoder_peak_mb"
extern const char
    *const cost_recompute_names[DYNAPIPE_RECOMPUTE_TYPES]; // "none", "full", "selective"

// Constant after it is filled: any number of threads may look up.
struct cost_tables {
    int32_t tensor_parallel;
    bool has_decoder;
    bool has[DYNAPIPE_RECOMPUTE_TYPES];
    int32_t nodes[COST_AXES];
    double *axis[COST_AXES]; // ascending
    // Values over the axes of the quantity, the last axis fastest; NAN: not measured. NULL: of a type that is not there, or
    // of a decoder that is not there.
    double *values[DYNAPIPE_RECOMPUTE_TYPES][COST_QUANTITIES];
    double embedding, encoder, decoder; // parameters
    void *memory;
};

// Returns the axes of a quantity: `axes` gets their numbers. *n: 2 or 3.
void cost_axes_of(const struct cost_tables *tables, enum cost_quantity quantity,
                  enum cost_axis axes[COST_AXES], int *n);

// Returns the number of values of a quantity; 0: it needs a decoder that is not there.
int64_t cost_values_of(const struct cost_tables *tables, enum cost_quantity quantity);

// Allocates axes and values for the nodes, decoder and types that are set. All values are NAN. Returns false if memory
// lacks. cost_tables_free: a zeroed struct is allowed.
bool cost_tables_allocate(struct cost_tables *tables);
void cost_tables_free(struct cost_tables *tables);

// Interpolates multilinearly. Below the smallest node of an axis the first cell goes on, never below 0. Returns false
// above the largest node, and if a node that counts was not measured: *value is not set then.
bool cost_tables_lookup(const struct cost_tables *tables, enum dynapipe_recompute recompute,
                        enum cost_quantity quantity, const int32_t at[COST_AXES],
                        double *value);

// The tables as a source of costs for the division of samples; self: struct cost_tables.
bool cost_tables_layer(void *self, enum dynapipe_recompute recompute, int32_t rows,
                       int32_t input, int32_t target, struct split_layer_cost *out);

// Returns parameters, gradients, fp32 copy, mean and variance in units of the parameters, divided over data-parallel
// ranks by the stage of ZeRO (Rajbhandari et al., SC 2020): 1 the last three, 2 gradients too, 3 parameters too.
double cost_state_factor(int32_t zero, int32_t data_parallel);
