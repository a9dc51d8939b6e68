// SPDX-License-Identifier: Apache-2.0
// Writes timelines of strategies.
#include "planner/balance/report/timeline_file.h"

#include "base/text/say.h"
#include "engine/trace/trace_write.h"
#include "kernels/balance/output/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum pps_status tell(void *self,
                            const struct pps_trace_sink *sink,
                            struct pps_error *err)
{
    const struct balance_picture *p = self;
    return balance_send_timeline(p->replay, p->layers, p->shape, p->strategy, p->limit_mb, sink)
               ? PPS_OK
               : pps_fail_memory(err, "the timeline");
}

enum pps_status balance_timeline_write(const struct balance_picture *picture,
                                       const char *path,
                                       const struct pps_gate *gate,
                                       struct pps_error *err)
{
    struct balance_picture shown = *picture;
    struct balance_result result = {
        .peak_mb = calloc((size_t)picture->shape->stages, sizeof *result.peak_mb)};
    struct pps_tracewrite write = {.path = path,
                                   .gate = gate,
                                   .title = picture->heading,
                                   .window = {0, (double)INFINITY},
                                   .names = &balance_trace_names,
                                   .tell = tell,
                                   .self = &shown};
    if (result.peak_mb == NULL)
        return pps_fail_memory(err, "the timeline");
    balance_replay_run(picture->replay, picture->layers, picture->strategy, &result);
    free(result.peak_mb);
    if (!pps_trace_form_of(path, &write.form))
        return pps_fail(err, PPS_E_INPUT, "%s: end the name in .json, .svg, .png or .csv",
                        path);
    const enum pps_status status = pps_tracewrite(&write, err);
    if (status != PPS_OK || strcmp(path, "-") == 0)
        return status;
    pps_say(stdout, "wrote     %s", path);
    pps_trace_say_next(stdout, write.form);
    return PPS_OK;
}
