// SPDX-License-Identifier: Apache-2.0
// Prices the answers with a network between nodes that is twice as fast.
#include "planner/tune/tuning.h"

static enum pps_status price(const struct configuration *like, double *seconds,
                             struct pps_error *err)
{
    struct configuration faster = *like; // its parts stay those of the other
    struct configuration_step step;
    faster.cluster.hardware.inter *= 2;
    const enum configuration_status done = configuration_step_brief(&step, &faster, NULL);
    *seconds = step.seconds;
    configuration_step_free(&step);
    return done == CONFIGURATION_DONE ? PPS_OK : pps_fail_memory(err, "the step");
}

enum pps_status tune_price_network(struct tuning *t, struct pps_error *err)
{
    enum pps_status status = PPS_OK;
    t->network_row = -1;
    for (int k = 0; k < t->n && status == PPS_OK; k++) {
        double seconds;
        status = price(&t->answers[k].written.mine.plan.configuration, &seconds, err);
        if (status == PPS_OK && t->answers[k].safe == t->answers[0].safe &&
            (t->network_row < 0 || seconds < t->network_seconds)) {
            t->network_row = k;
            t->network_seconds = seconds;
        }
    }
    return status;
}
