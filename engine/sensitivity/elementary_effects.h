// SPDX-License-Identifier: Apache-2.0
// Summarises the elementary effects of a morris design (engine/space/sample_design.h). An elementary
// effect is the change of the result divided by the part of its range by which one factor moved.
#ifndef PPS_ENGINE_SENSITIVITY_ELEMENTARY_EFFECTS_H
#define PPS_ENGINE_SENSITIVITY_ELEMENTARY_EFFECTS_H

#include <stddef.h>
#include <stdint.h>

// effect[j * d + i]: of factor i in trajectory j; NAN: the trajectory has none.
struct pps_effects_sample {
    const double *effect;
    size_t n; // trajectories
    int d;
};

enum pps_effect_value { PPS_MU_STAR, PPS_MU, PPS_SIGMA, PPS_EFFECT_VALUES };

// Writes PPS_EFFECT_VALUES values for each of the d factors: mean of the absolute effects (Campolongo,
// Cariboni, Saltelli: An effective screening design for sensitivity analysis of large models;
// Environmental Modelling & Software 22, 2007), mean, and standard deviation (Morris 1991). Trajectory j
// counts counts[j] times. NAN without effects; the deviation of one effect is NAN, too. `self` is a
// struct pps_effects_sample: the function is a statistic for pps_bootstrap.
void pps_elementary_effects(const void *self, const uint32_t *counts, double *values);

#endif
