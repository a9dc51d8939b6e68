// SPDX-License-Identifier: Apache-2.0
// Improves the few numbers of a simple policy by the cross-entropy method (Rubinstein 1999): draws members around a
// mean, and moves mean and spread to those of the best quarter. The numbers are the weights of the last
// layer of the scores, beta, and threshold and lag of the guide; the hidden layers keep their random
// initial weights.
#pragma once

#include "kernels/schedule/online/pull.h"
#include "kernels/schedule/policy/network.h"

#include <stdint.h>

enum { EVOLUTION_MEMBERS = 16 };

// Sets mean and spread to a policy that is the guide. parameters: of network_start.
void evolution_start(const struct network_shape *shape, const struct pull_rule *guide,
                     const double *parameters, double *mean, double *spread);

// Draws a member of a generation.
void evolution_draw(const struct network_shape *shape, uint64_t seed, int64_t generation,
                    int member, const double *mean, const double *spread, double *numbers);

// Writes numbers into the parameters of networks, and into a guide.
void evolution_apply(const struct network_shape *shape, const double *numbers,
                     double *parameters, struct pull_rule *guide);

// Moves mean and spread. numbers: [EVOLUTION_MEMBERS] with `stride` between members; a low score is good.
void evolution_update(const struct network_shape *shape, const double *numbers, int stride,
                      const double score[EVOLUTION_MEMBERS], double *mean, double *spread);
