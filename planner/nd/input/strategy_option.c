// SPDX-License-Identifier: Apache-2.0
// Reads strategies from options.
#include "planner/nd/input/strategy_option.h"

#include "planner/shared/options.h"

#include <stdlib.h>
#include <string.h>

static bool set_degree(struct nd_strategy *s, const char *name, size_t n, int32_t value)
{
    static const char *const names[] = {"dp", "tp", "cp", "pp", "ep", "op", "vp", "mbs"};
    int32_t *const fields[] = {&s->dp, &s->tp, &s->cp, &s->pp, &s->ep, &s->op, &s->vp, &s->mbs};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (plan_is_word(name, n, names[k])) {
            *fields[k] = value;
            return true;
        }
    return false;
}

static bool set_word(struct nd_strategy *s, bool *sp_given, const char *word, size_t n)
{
    char digits[16] = "", *end;
    const char *equals = memchr(word, '=', n);
    const size_t name = equals != NULL ? (size_t)(equals - word) : n;
    if (equals == NULL)
        return false;
    const char *value = equals + 1;
    const size_t length = n - name - 1;
    if (plan_is_word(word, name, "sp")) {
        *sp_given = true;
        return plan_read_switch(value, length, &s->sp);
    }
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, value, length);
    const long number = strtol(digits, &end, 10);
    if (*end != '\0' || number < -1 || number > INT32_MAX)
        return false;
    return set_degree(s, word, name, (int32_t)number);
}

// Returns the product of positive degrees; 0 if a degree is not positive or the product is too
// large.
static int64_t product(const int32_t *degrees, size_t n)
{
    int64_t of = 1;
    for (size_t k = 0; k < n; k++) {
        if (degrees[k] < 1 || of > ND_DEVICES_MAX)
            return 0;
        of *= degrees[k];
    }
    return of;
}

enum pps_status nd_strategy_read(const struct nd_job *job,
                                 const char *option,
                                 const char *text,
                                 struct nd_strategy *s,
                                 struct pps_error *err)
{
    bool sp_given = false;
    size_t n;
    *s = (struct nd_strategy){.dp = 0,
                              .tp = 1,
                              .cp = 1,
                              .pp = 1,
                              .ep = 1,
                              .op = 0,
                              .vp = 1,
                              .mbs = job->space.mbs[0]};
    for (const char *word; (word = plan_next_word(&text, &n)) != NULL;)
        if (!set_word(s, &sp_given, word, n))
            return pps_fail(
                err, PPS_E_INPUT,
                "--%s %.*s: expected degrees, for example dp=8,tp=4,pp=2 (also cp ep op vp mbs "
                "sp=on)",
                option, (int)n, word);
    const int64_t rest = product((const int32_t[]){s->tp, s->cp, s->pp}, 3);
    if (s->dp == 0)
        s->dp = rest > 0 && job->space.devices % rest == 0
                    ? (int32_t)(job->space.devices / rest)
                    : 1;
    const int64_t replicas = (int64_t)s->dp * s->cp;
    if (s->op == 0)
        s->op = replicas >= 1 && replicas <= INT32_MAX ? (int32_t)replicas : s->dp;
    if (!sp_given)
        s->sp = s->tp > 1;
    return PPS_OK;
}

bool nd_strategy_sets(const char *text, const char *degree)
{
    size_t n;
    for (const char *word; (word = plan_next_word(&text, &n)) != NULL;) {
        const char *equals = memchr(word, '=', n);
        if (equals != NULL && plan_is_word(word, (size_t)(equals - word), degree))
            return true;
    }
    return false;
}

enum pps_status nd_strategy_check_chunks(const struct nd_job *job,
                                         const char *option,
                                         const char *text,
                                         const struct nd_strategy *strategy,
                                         struct pps_error *err)
{
    const struct training *training = &job->run.training;
    if (job->space.orig || training_allows_chunks(training, strategy->pp, strategy->vp))
        return PPS_OK;
    if (training->schedule == TRAINING_DUALPIPE && strategy->vp == 1)
        return pps_fail(
            err, PPS_E_INPUT,
            "--%s %s: pp %d, but the training document sets schedule dualpipe, which "
            "needs an even number of stages",
            option, text, strategy->pp);
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: vp %d, but the training document sets schedule %s, which %s",
                    option, text, strategy->vp, training_schedule_word(training->schedule),
                    training->schedule == TRAINING_VPP
                        ? "needs at least two chunks per stage; write vp=2"
                        : "has one chunk per stage");
}

enum pps_status nd_strategy_read_whole(struct nd_job *job,
                                       const char *option,
                                       const char *text,
                                       struct nd_strategy *s,
                                       struct pps_error *err)
{
    job->space.devices = (int32_t)job->run.cluster.world_size;
    job->space.mbs[0] = (int32_t)job->run.training.mbs[0];
    const enum pps_status status = nd_strategy_read(job, option, text, s, err);
    const double devices = (double)s->dp * s->tp * s->cp * s->pp;
    if (status == PPS_OK &&
        (s->dp < 1 || s->tp < 1 || s->cp < 1 || s->pp < 1 || s->ep < 1 || s->vp < 1 ||
         s->mbs < 1 || devices != (double)job->run.cluster.world_size))
        return pps_fail(
            err, PPS_E_INPUT,
            "--%s %s: dp %d x tp %d x cp %d x pp %d must equal the %lld devices of the "
            "cluster; every degree must be at least 1",
            option, text, s->dp, s->tp, s->cp, s->pp, (long long)job->run.cluster.world_size);
    return status;
}
