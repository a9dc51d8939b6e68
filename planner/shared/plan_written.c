// SPDX-License-Identifier: Apache-2.0
// Evaluates a text as the file that it will be.
#include "planner/shared/plan_written.h"

#include <stdio.h>

static enum pps_status fail_reading(struct plan_written *written, struct pps_error *err)
{
    if (err->code != PPS_E_INPUT)
        return err->code;
    snprintf(written->why, sizeof written->why, "read back, line %d: %.480s", err->line,
             err->text);
    *err = (struct pps_error){.code = PPS_OK};
    return PPS_OK;
}

// A file with another batch or other sequences is another training.
static void compare(struct plan_written *written, const struct plan_run *like)
{
    const struct plan_run *run = &written->run;
    written->can_run = run->training.gbs == like->training.gbs &&
                       run->model.seq_length == like->model.seq_length;
    if (!written->can_run)
        snprintf(written->why, sizeof written->why,
                 "the file has %lld sequences of %lld tokens per step, not %lld of %lld",
                 (long long)run->training.gbs, (long long)run->model.seq_length,
                 (long long)like->training.gbs, (long long)like->model.seq_length);
}

enum pps_status plan_written_open(struct plan_written *written,
                                  const struct pps_args *args,
                                  const struct plan_run *like,
                                  const struct plan_text *text,
                                  struct poll *poll,
                                  struct pps_error *err)
{
    *written = (struct plan_written){.can_run = false};
    enum pps_status status = plan_run_open_with(&written->run, args, text, err);
    if (status != PPS_OK)
        return fail_reading(written, err);
    written->run.instead = NULL;
    if (plan_run_configuration(like) == NULL) {
        written->run.cluster = like->cluster;
        written->run.training.stack = like->training.stack;
    }
    status = plan_mine_open(&written->mine, &written->run, true, poll, err);
    if (status != PPS_OK) {
        plan_run_close(&written->run);
        return status;
    }
    written->can_run = written->mine.has;
    if (!written->can_run)
        snprintf(written->why, sizeof written->why, "read back, it cannot run: %s",
                 written->mine.plan.cannot_run.n > 0 ? written->mine.plan.cannot_run.text
                                                     : "it sets no strategy");
    if (written->can_run)
        compare(written, like);
    return PPS_OK;
}

void plan_written_close(struct plan_written *written)
{
    plan_mine_close(&written->mine);
    plan_run_close(&written->run);
}
