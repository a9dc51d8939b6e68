// SPDX-License-Identifier: Apache-2.0
// Tells how far predictions of step times may be trusted: errors of published steps, each predicted
// by a fit that did not see its source, by kind of device, software stack, model and precision.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"

struct nd_left_out_group {
    const char *device; // built-in record whose efficiencies the devices have; "": all steps
    const char *stack;
    bool experts;
    bool fp8;
    int steps;     // of the group
    double within; // four of five steps have at most this error
};

// The steps that are like a prediction in device, stack, kind of model and precision; where there are
// none, all steps of this kind of model.
const struct nd_left_out_group *nd_left_out_group(const struct hardware *hardware,
                                                  const struct training *training,
                                                  const struct modeldesc *model);

// Returns the error that a further step has in four of five cases: that of the table, widened where it comes from fewer
// than four steps.
double nd_left_out_band(const struct nd_left_out_group *group);

// All groups; *n of them.
const struct nd_left_out_group *nd_left_out_groups(int *n);

enum { ND_TRUST_TEXT = 400 };

// Writes the sentence that every report of predictions carries: the stack, and "+-" the band of the group with the number
// of its published steps. It says if no published step has the stack, the
// precision, the rates of the device, or the model's kinds of layers.
const char *nd_trust_text(const struct hardware *hardware, const struct training *training,
                          const struct modeldesc *model, char text[ND_TRUST_TEXT]);
