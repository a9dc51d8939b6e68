// SPDX-License-Identifier: Apache-2.0
// Opens trainings of files.
#include "planner/check/trainings.h"

enum pps_status training_case_open(struct training_case *training, const char *path,
                                   const char *cluster, const struct pps_args *args,
                                   struct poll *poll, struct pps_error *err)
{
    enum pps_status status = plan_run_open_files(&training->run, path, cluster, args, err);
    if (status != PPS_OK)
        return status;
    training->opened = true;
    if (training->run.baseline == NULL)
        return pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "describes no strategy");
    status = plan_mine_open(&training->mine, &training->run, true, poll, err);
    if (status == PPS_OK && !training->mine.has)
        status = pps_fail_at(err, PPS_E_INPUT, path, 0, 0, "the training cannot run: %s",
                             training->mine.plan.cannot_run.text);
    return status;
}

void training_case_close(struct training_case *training)
{
    if (!training->opened)
        return;
    plan_mine_close(&training->mine);
    plan_run_close(&training->run);
    training->opened = false;
}
