// SPDX-License-Identifier: Apache-2.0
// Chooses dry runs and predicts the peak memory of other expert degrees from two dry runs: the peak
// of a group (dp, tp, pp) is base + experts / ep.
#pragma once

#include "planner/nd/strategies/enumerate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- dry runs to make ---------------------------------------------------------------------------

struct nd_test_degrees {
    int32_t low, high; // ep of the two dry runs of a group, low < high
};

struct nd_dryrun {
    int32_t dp, tp, cp, pp, ep; // ep 0: dense
    int64_t micro_batches;      // of the run
    int32_t rank;               // the one whose peak is wanted
};

// The runs that a surviving group needs, at most two: the degrees that divide dp * tp. v_schedule:
// groups of which a device would have fewer than one layer a chunk have none.
int nd_dryruns_of(const struct nd_space *space, const struct nd_quad *group,
                  struct nd_test_degrees degrees, bool v_schedule, struct nd_dryrun runs[2]);

// The rank whose memory is expected to be the largest.
int32_t nd_dryrun_rank(int32_t devices, int32_t pp, int32_t layers, bool v_schedule);

// ---- fit ----------------------------------------------------------------------------------------

// A measured peak. Fields that are not known are 0.
struct nd_dryrun_peak {
    int32_t dp, tp, pp, ep;
    int32_t cp, op, mbs, rank;
    double peak_mb;
};

struct nd_epfit {
    double experts_mb, base_mb; // peak(ep) = base + experts / ep
};

// From peaks at degrees low and high. orig: the published solution, exact for high = 2 low only.
struct nd_epfit nd_epfit_solve(struct nd_test_degrees degrees, double low_mb, double high_mb,
                               bool orig);

static inline double nd_epfit_peak(const struct nd_epfit *fit, int32_t ep)
{
    return fit->base_mb + fit->experts_mb / ep;
}

enum nd_epfit_note {
    ND_EPFIT_FITTED,
    ND_EPFIT_INCOMPLETE, // one of the two peaks is missing: skipped (orig: taken as 0)
    ND_EPFIT_NEGATIVE,   // memory grows with ep: the larger peak stands for every ep
};

// A group of peaks, and the result of its fit.
struct nd_epfit_group {
    int32_t dp, tp, pp;
    enum nd_epfit_note note;
    double low_mb, high_mb; // 0: missing
    struct nd_epfit fit;
};

struct nd_epfit_candidate {
    int32_t dp, tp, pp, ep;
    double peak_mb;
};

// Peaks at other degrees than the tested ones, against the fit.
struct nd_epfit_check {
    struct nd_dryrun_peak peak;
    double fitted_mb;
};

struct nd_epfit_result {
    struct nd_epfit_group *groups; // by dp, tp, pp
    size_t n_groups;
    struct nd_epfit_candidate *candidates; // within the limit, by dp, tp, pp, ep
    size_t n_candidates;
    struct nd_epfit_check *checks; // in the order of the peaks
    size_t n_checks;
};

enum nd_epfit_status {
    ND_EPFIT_OK,
    ND_EPFIT_DEGREES,  // not 1 <= low < high
    ND_EPFIT_EP_LIMIT, // max_ep is no power of two
    ND_EPFIT_MEMORY,   // there is none
};

// Fits every group and evaluates it at the powers of two up to max_ep that divide dp * tp. Owner of
// the result is the caller: nd_epfit_free().
enum nd_epfit_status nd_epfit(const struct nd_dryrun_peak *peaks, size_t n,
                              struct nd_test_degrees degrees, int32_t max_ep, double limit_mb,
                              bool orig, struct nd_epfit_result *result);
void nd_epfit_free(struct nd_epfit_result *result);
