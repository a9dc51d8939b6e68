// SPDX-License-Identifier: Apache-2.0
// Keeps the state of a training in a record log, whose one record is the latest state.
#include "extras/learn/learn.h"

#include "base/text/say.h"

#include <stdlib.h>

static const char other[] =
    "this training had other options, or another version of ppsweep; give the same --problems, "
    "--trainer, --seed, --episodes and --width";

static enum pps_status restore(struct learning *learning, struct pps_error *err)
{
    const char *bytes;
    size_t n;
    if (!pps_record_log_next(&learning->log, &bytes, &n)) {
        if (learning->log.cut > 0)
            pps_say(stderr, "warning: %s is damaged; the training starts at the first batch",
                    learning->state);
        return learn_save(learning, err);
    }
    if (!trainer_restore(learning->trainer, bytes, n))
        return pps_fail(err, PPS_E_INPUT, "%s: %s; --force without --resume starts again",
                        learning->state, other);
    return PPS_OK;
}

enum pps_status learn_begin(struct learning *learning, struct pps_error *err)
{
    const struct pps_record_log_ask ask = {.path = learning->state,
                                           .identity = "schedule learn " PPS_VERSION,
                                           .work = "training",
                                           .other = other,
                                           .resume = learning->resume,
                                           .force = learning->gate.force};
    const enum pps_status status = pps_record_log_open(&learning->log, &ask, err);
    if (status != PPS_OK)
        return status;
    return learning->log.found ? restore(learning, err) : learn_save(learning, err);
}

enum pps_status learn_save(struct learning *learning, struct pps_error *err)
{
    const size_t n = trainer_state_bytes(learning->trainer);
    char *bytes = malloc(n);
    if (bytes == NULL)
        return pps_fail_memory(err, "the state of the training");
    trainer_save(learning->trainer, bytes);
    const enum pps_status status = pps_record_log_replace(&learning->log, bytes, n, err);
    free(bytes);
    return status;
}
