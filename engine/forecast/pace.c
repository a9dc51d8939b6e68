// SPDX-License-Identifier: Apache-2.0
// Uses weights that grow with time: recent steps count for more, and sums suffice.
#include "engine/forecast/pace.h"

void pps_pace_begin(struct pps_pace *pace, const struct pps_workload *workload, uint64_t first,
                    uint64_t whole)
{
    *pace =
        (struct pps_pace){.workload = workload, .first = (double)first, .whole = (double)whole};
}

// Work between two positions in the list of points, if `share` of the points that are not
// skipped is computed.
static double work_between(const struct pps_pace *pace, double from, double to, double share)
{
    const struct pps_work before = pps_workload_before(pace->workload, from / pace->whole);
    const struct pps_work after = pps_workload_before(pace->workload, to / pace->whole);
    return after.passing - before.passing + share * (after.computing - before.computing);
}

void pps_pace_step(struct pps_pace *pace, double seconds, const struct pps_passed *passed)
{
    const double live = (double)(passed->live - pace->passed.live);
    const double computed = (double)(passed->computed - pace->passed.computed);
    const double from = pace->first + (double)pace->passed.points;
    const double to = pace->first + (double)passed->points;
    pace->time += seconds * (seconds - pace->seconds);
    pace->work += seconds * work_between(pace, from, to, live > 0 ? computed / live : 0);
    pace->live += (double)passed->points * live;
    pace->computed += (double)passed->points * computed;
    pace->seconds = seconds;
    pace->passed = *passed;
}

double pps_pace_left(const struct pps_pace *pace)
{
    const double at = pace->first + (double)pace->passed.points;
    const double share = pace->live > 0 ? pace->computed / pace->live : 1;
    if (pace->work <= 0)
        return 0;
    return pace->time / pace->work * work_between(pace, at, pace->whole, share);
}
