// SPDX-License-Identifier: Apache-2.0
// Checks the values of a document's baseline and writes them as an option would.
#include "planner/nd/input/baseline.h"

#include "base/document/fault.h"
#include "base/text/say.h"
#include "planner/nd/strategies/enumerate.h"
#include "planner/shared/files.h"
#include "planner/shared/options.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- strategy option ----------------------------------------------------------------------------

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

// Returns whether the words that follow set the degree of a word, too.
static bool is_set_again(const char *word, const char *following)
{
    char key[16];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(word, "="), word);
    return nd_strategy_sets(following, key);
}

enum pps_status nd_strategy_read(const struct nd_job *job, const char *option, const char *text,
                                 struct nd_strategy *s, struct pps_error *err)
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
        else if (is_set_again(word, text))
            return pps_fail(err, PPS_E_INPUT, "--%s %.*s: is set twice; remove one", option,
                            (int)n, word);
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

enum pps_status nd_strategy_check_chunks(const struct nd_job *job, const char *option,
                                         const char *text, const struct nd_strategy *strategy,
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

enum pps_status nd_strategy_read_whole(struct nd_job *job, const char *option, const char *text,
                                       struct nd_strategy *s, struct pps_error *err)
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

// ---- baseline -----------------------------------------------------------------------------------

static const char *const degrees[] = {"dp", "tp", "cp", "pp", "ep", "op", "vp", "mbs"};

enum { N_DEGREES = sizeof degrees / sizeof *degrees, N_DEVICE_DEGREES = 4 };

static bool add_degree(const cJSON *baseline, const char *name, char *text, size_t *n,
                       struct pps_fault *fault)
{
    const cJSON *item = pps_json_member(baseline, name);
    if (item == NULL)
        return true;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    const bool shards = strcmp(name, "op") == 0;
    if (value != (double)(int32_t)value || value > ND_DEVICES_MAX ||
        (value < 1 && !(shards && value == -1)))
        return pps_fault_set(fault, item, false, "%s: expected a whole number from 1 to %d",
                             name, ND_DEVICES_MAX);
    const cJSON *dp = pps_json_member(baseline, "dp");
    const double meant =
        value == -1 && dp != NULL ? dp->valuedouble : value; // op -1: as many as dp
    *n += (size_t)snprintf(text + *n, ND_BASELINE_BYTES - *n, "%s%s=%d", *n > 0 ? "," : "",
                           name, (int)meant);
    return true;
}

static bool add_sequence_parallel(const cJSON *baseline, char *text, size_t *n,
                                  struct pps_fault *fault)
{
    const cJSON *item = pps_json_member(baseline, "sp");
    if (item != NULL && !cJSON_IsBool(item))
        return pps_fault_set(fault, item, false, "sp: expected true or false");
    if (item != NULL)
        *n += (size_t)snprintf(text + *n, ND_BASELINE_BYTES - *n, "%ssp=%s", *n > 0 ? "," : "",
                               cJSON_IsTrue(item) ? "on" : "off");
    return true;
}

// Returns the devices of the strategy; 0 if dp is missing, which the cluster then decides.
static double devices_of(const cJSON *baseline)
{
    double product = 1;
    for (int k = 0; k < N_DEVICE_DEGREES; k++) {
        const cJSON *item = pps_json_member(baseline, degrees[k]);
        if (item == NULL && k == 0)
            return 0;
        product *= item != NULL ? item->valuedouble : 1;
    }
    return product;
}

enum pps_status nd_baseline_text(const struct pps_json *document, const cJSON *baseline,
                                 char text[ND_BASELINE_BYTES], double *devices,
                                 struct pps_error *err)
{
    struct pps_fault fault = {.item = NULL};
    size_t n = 0;
    text[0] = '\0';
    for (int k = 0; k < N_DEGREES; k++)
        if (!add_degree(baseline, degrees[k], text, &n, &fault))
            return plan_fail_document(document, &fault, err);
    if (!add_sequence_parallel(baseline, text, &n, &fault))
        return plan_fail_document(document, &fault, err);
    *devices = devices_of(baseline);
    return PPS_OK;
}

enum pps_status nd_baseline_of_document(const struct plan_run *run, bool quiet,
                                        char text[ND_BASELINE_BYTES], struct pps_error *err)
{
    double devices;
    text[0] = '\0';
    if (run->baseline == NULL)
        return PPS_OK;
    const struct pps_fault *reason = &run->baseline_in->cannot_run;
    if (reason->text[0] != '\0') {
        if (!quiet)
            pps_say(stderr,
                    "note      no baseline: the training in %s cannot run: %s:%d:%d: %s",
                    run->baseline_in->json.name, run->baseline_in->json.name, reason->line,
                    reason->column, reason->text);
        return PPS_OK;
    }
    const enum pps_status status =
        nd_baseline_text(&run->baseline_in->json, run->baseline, text, &devices, err);
    if (status != PPS_OK || devices == 0 || devices == (double)run->cluster.world_size)
        return status;
    if (!quiet)
        pps_say(
            stderr,
            "note      no baseline: the strategy in %s (%s) is for %.0f devices, the cluster "
            "has %lld",
            run->baseline_in->json.name, text, devices, (long long)run->cluster.world_size);
    text[0] = '\0';
    return PPS_OK;
}
