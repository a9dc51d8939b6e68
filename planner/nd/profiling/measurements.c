// SPDX-License-Identifier: Apache-2.0
// Reads measured steps.
#include "planner/nd/profiling/calibrate.h"

#include "base/document/fields.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(member)  offsetof(struct row, member)

enum {
    MOST = 1 << 20,      // of a degree
    SEQUENCES = 1 << 24, // of a batch
    TOKENS = 1 << 30,
};

enum field {
    KEY_MODEL,
    KEY_DP,
    KEY_TP,
    KEY_CP,
    KEY_PP,
    KEY_EP,
    KEY_OP,
    KEY_VP,
    KEY_MBS,
    KEY_GBS,
    KEY_SEQ_LENGTH,
    KEY_SP,
    KEY_RECOMPUTE,
    KEY_SECONDS,
    KEY_TFLOPS,
    KEY_MFU,
    KEY_MEMORY,
    KEY_FITS,
    KEY_STACK,
    N_KEYS
};

struct row {
    int64_t dp, tp, cp, pp, ep, op, vp, gbs, seq_length;
    bool sp, fits;
    double seconds, tflops, mfu, memory;
};

static const struct docfield fields[N_KEYS] = {
    [KEY_MODEL] = {"model", DOCFIELD_OWN, 0, 0, 0},
    [KEY_DP] = {"dp", DOCFIELD_WHOLE, 1, MOST, AT(dp)},
    [KEY_TP] = {"tp", DOCFIELD_WHOLE, 1, MOST, AT(tp)},
    [KEY_CP] = {"cp", DOCFIELD_WHOLE, 1, MOST, AT(cp)},
    [KEY_PP] = {"pp", DOCFIELD_WHOLE, 1, 4096, AT(pp)},
    [KEY_EP] = {"ep", DOCFIELD_WHOLE, 1, MOST, AT(ep)},
    [KEY_OP] = {"op", DOCFIELD_WHOLE, 1, MOST, AT(op)},
    [KEY_VP] = {"vp", DOCFIELD_WHOLE, 1, 4096, AT(vp)},
    [KEY_MBS] = {"mbs", DOCFIELD_OWN, 0, 0, 0},
    [KEY_GBS] = {"gbs", DOCFIELD_WHOLE, 1, SEQUENCES, AT(gbs)},
    [KEY_SEQ_LENGTH] = {"seq_length", DOCFIELD_WHOLE, 1, TOKENS, AT(seq_length)},
    [KEY_SP] = {"sp", DOCFIELD_FLAG, 0, 1, AT(sp)},
    [KEY_RECOMPUTE] = {"recompute", DOCFIELD_OWN, 0, 0, 0},
    [KEY_SECONDS] = {"seconds", DOCFIELD_ABOVE, 0, 1e9, AT(seconds)},
    [KEY_TFLOPS] = {"tflops", DOCFIELD_ABOVE, 0, 1e9, AT(tflops)},
    [KEY_MFU] = {"mfu", DOCFIELD_ABOVE, 0, 1, AT(mfu)},
    [KEY_MEMORY] = {"memory_gib", DOCFIELD_GIB, 0, 0, AT(memory)},
    [KEY_FITS] = {"fits", DOCFIELD_FLAG, 0, 1, AT(fits)},
    [KEY_STACK] = {"stack", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields table = {"a measurement", fields, N_KEYS, NULL, 0};

// The values that the measurements of a set share.
struct set {
    const char *name, *source;
    bool judges;
    const cJSON *models;
    struct training training;
    struct hardware hardware;
    int64_t seq_length;
};

// ---- what was measured --------------------------------------------------------------------------

// Equation 3 of Narayanan et al. 2021: with everything recomputed.
static double published_flops(const struct modeldesc *model, double sequences, double s)
{
    double h = (double)model->hidden, layers = (double)model->num_layers;
    return 96 * sequences * s * layers * h * h *
           (1 + s / (6 * h) + (double)model->vocab / (16 * layers * h));
}

static bool take_time(struct nd_measurement *m, const struct row *row,
                      const struct docitems *items, const cJSON *item, struct pps_fault *fault)
{
    const struct nd_strategy *s = &m->point.strategy;
    int given = (items->item[KEY_SECONDS] != NULL) + (items->item[KEY_TFLOPS] != NULL) +
                (items->item[KEY_MFU] != NULL);
    if (given > 1 || (given == 0 && items->item[KEY_FITS] == NULL))
        return pps_fault_set(
            fault, item, false,
            "seconds: expected exactly one of seconds, tflops and mfu (got %d)", given);
    if (given == 0)
        return true;
    double devices = (double)s->dp * s->tp * s->cp * s->pp;
    double sequences = (double)m->point.gbs, length = (double)m->point.seq_length;
    if (items->item[KEY_SECONDS] != NULL) {
        m->seconds = row->seconds;
    } else if (items->item[KEY_TFLOPS] != NULL) {
        m->seconds =
            published_flops(&m->model, sequences, length) / (devices * row->tflops * 1e12);
    } else {
        struct cluster cluster = {.node_devices = 8, .hardware = m->hardware};
        struct nd_estimate e;
        nd_estimate_open(&e, &m->model, &cluster, &m->training, 0);
        // As published: attention over all pairs of positions, not the causal half.
        const double flops = e.active_flops + 2 * e.attention_flops * length;
        m->seconds = flops * sequences * length / (devices * m->hardware.peak * row->mfu);
    }
    return true;
}

// ---- one measurement ----------------------------------------------------------------------------

static bool take_mbs(struct nd_strategy *s, const cJSON *item, struct pps_fault *fault)
{
    s->mbs = 1;
    if (item == NULL)
        return true;
    s->mbs = 0;
    if (cJSON_IsString(item) && strcmp(item->valuestring, "best") == 0)
        return true;
    double x = cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!(x >= 1 && x <= SEQUENCES) || x > (double)(int32_t)x)
        return pps_fault_set(fault, item, false,
                             "mbs: expected a whole number of at least 1, or \"best\"");
    s->mbs = (int32_t)x;
    return true;
}

static bool take_recompute(struct nd_strategy *s, const cJSON *item, struct pps_fault *fault)
{
    static const char *const words[] = {"none", "select", "full"};
    if (item == NULL)
        return true;
    for (int i = 0; i < COUNT_OF(words); i++)
        if (cJSON_IsString(item) && strcmp(item->valuestring, words[i]) == 0) {
            s->recompute = (enum nd_recompute)i;
            return true;
        }
    return pps_fault_set(fault, item, false, "recompute: expected none, select or full");
}

static bool take_model(struct nd_measurement *m, const struct set *set,
                       const struct docitems *items, const cJSON *row, struct pps_fault *fault)
{
    const cJSON *name = items->item[KEY_MODEL];
    if (!cJSON_IsString(name))
        return pps_fault_set(fault, name != NULL ? name : row, false,
                             "model: expected the name of a model in \"models\"");
    const cJSON *model = cJSON_GetObjectItemCaseSensitive(set->models, name->valuestring);
    if (model == NULL)
        return pps_fault_set(fault, name, false, "model: \"%.60s\" is not in \"models\"",
                             name->valuestring);
    snprintf(m->model_name, sizeof m->model_name, "%s", name->valuestring);
    return modeldesc_read(&m->model, model, fault);
}

// Returns the key of the first degree that contradicts the others, with the reason in `why`; NULL: none
// does. A step of such a strategy was not measured.
static const char *contradiction(const struct nd_measurement *m, char *why, size_t size)
{
    const struct nd_strategy *s = &m->point.strategy;
    const int64_t mbs = s->mbs > 0 ? s->mbs : 1, layers = modeldesc_layers(&m->model);
    const int64_t replicas = (int64_t)s->dp * s->cp;
    const int64_t etp = m->training.expert_tensor_parallel ? s->tp : 1;
    if (m->point.gbs % (s->dp * mbs) != 0) {
        snprintf(why, size, "%lld is not a multiple of dp %d * mbs %lld",
                 (long long)m->point.gbs, s->dp, (long long)mbs);
        return "gbs";
    }
    if (s->pp > layers || (int64_t)s->pp * s->vp > layers + 2) { // embedding and head may count
        snprintf(why, size, "%d stages of %d chunks, and the model has %lld layers", s->pp,
                 s->vp, (long long)layers);
        return "pp";
    }
    if (replicas % s->op != 0) {
        snprintf(why, size, "%d does not divide dp %d * cp %d", s->op, s->dp, s->cp);
        return "op";
    }
    if (s->ep == 1)
        return NULL;
    if (m->model.experts == 0)
        snprintf(why, size, "%d, and the model has no experts", s->ep);
    else if (m->model.experts % s->ep != 0)
        snprintf(why, size, "%d does not divide the %lld experts of the model", s->ep,
                 (long long)m->model.experts);
    else if (replicas * s->tp % (s->ep * etp) != 0)
        snprintf(why, size, "%d does not divide the devices of a stage", s->ep);
    else
        return NULL;
    return "ep";
}

static bool check_row(const struct nd_measurement *m, const cJSON *item,
                      struct pps_fault *fault)
{
    char why[128];
    const char *key = contradiction(m, why, sizeof why);
    const cJSON *at = key != NULL ? cJSON_GetObjectItemCaseSensitive(item, key) : NULL;
    if (key == NULL)
        return true;
    return pps_fault_set(fault, at != NULL ? at : item, false, "%s: %s", key, why);
}

static bool read_row(struct nd_measurement *m, const struct set *set, const cJSON *item,
                     struct pps_fault *fault)
{
    struct docitems items;
    struct row row = {1, 1, 1, 1, 1, 0, 1, 0, set->seq_length, false, true, 0, 0, 0, 0};
    memset(m, 0, sizeof *m);
    if (!docfields_find(&table, item, false, &items, fault) ||
        !docfields_store(&table, &items, &row, fault) ||
        !take_model(m, set, &items, item, fault))
        return false;
    if (row.dp * row.cp > MOST || row.dp * row.cp * row.tp > MOST ||
        row.dp * row.cp * row.tp * row.pp > MOST)
        return pps_fault_set(fault, item, false, "dp: more than %d devices", (int)MOST);
    if (row.gbs == 0)
        return pps_fault_set(fault, item, false,
                             "gbs: missing; give the number of sequences per step");
    snprintf(m->set, sizeof m->set, "%s", set->name);
    snprintf(m->source, sizeof m->source, "%s", set->source);
    m->judges = set->judges;
    m->training = set->training;
    m->training.stack = *training_stack(&set->training);
    const cJSON *recipe = items.item[KEY_STACK];
    if (recipe != NULL && !stack_read(&m->training.stack, recipe, fault))
        return false;
    m->hardware = set->hardware;
    m->memory = row.memory;
    m->fits = row.fits;
    m->point = (struct nd_point){.seq_length = row.seq_length, .gbs = row.gbs};
    m->point.strategy = (struct nd_strategy){
        .dp = (int32_t)row.dp,
        .tp = (int32_t)row.tp,
        .cp = (int32_t)row.cp,
        .pp = (int32_t)row.pp,
        .ep = (int32_t)row.ep,
        .op = (int32_t)(row.op > 0 ? row.op : row.dp * row.cp),
        .vp = (int32_t)row.vp,
        .sp = row.sp,
    };
    return take_mbs(&m->point.strategy, items.item[KEY_MBS], fault) &&
           take_recompute(&m->point.strategy, items.item[KEY_RECOMPUTE], fault) &&
           check_row(m, item, fault) && take_time(m, &row, &items, item, fault);
}

// ---- sets ---------------------------------------------------------------------------------------

enum set_field {
    SET_NAME,
    SET_SOURCE,
    SET_FROM,
    SET_PART,
    SET_HARDWARE,
    SET_TRAINING,
    SET_SEQ_LENGTH,
    SET_ROWS,
    N_SET_KEYS
};

static const struct docfield set_fields[N_SET_KEYS] = {
    [SET_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},
    [SET_SOURCE] = {"source", DOCFIELD_OWN, 0, 0, 0},
    [SET_FROM] = {"from", DOCFIELD_OWN, 0, 0, 0},
    [SET_PART] = {"part", DOCFIELD_OWN, 0, 0, 0},
    [SET_HARDWARE] = {"hardware", DOCFIELD_OWN, 0, 0, 0},
    [SET_TRAINING] = {"training", DOCFIELD_OWN, 0, 0, 0},
    [SET_SEQ_LENGTH] = {"seq_length", DOCFIELD_WHOLE, 1, TOKENS,
                        offsetof(struct set, seq_length)},
    [SET_ROWS] = {"measurements", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docfields set_table = {"a set of measurements", set_fields, N_SET_KEYS,
                                           NULL, 0};

static bool read_part(struct set *set, const cJSON *from, const cJSON *part,
                      struct pps_fault *fault)
{
    const bool judge = cJSON_IsString(part) && strcmp(part->valuestring, "judge") == 0;
    if (from != NULL && !cJSON_IsString(from))
        return pps_fault_set(fault, from, false, "from: expected the name of a source");
    if (part != NULL && !judge &&
        (!cJSON_IsString(part) || strcmp(part->valuestring, "fit") != 0))
        return pps_fault_set(fault, part, false, "part: expected \"fit\" or \"judge\"");
    set->source = from != NULL ? from->valuestring : set->name;
    set->judges = judge;
    return true;
}

static bool read_set(struct set *set, const cJSON *item, const cJSON **rows,
                     struct pps_fault *fault)
{
    struct docitems items;
    set->seq_length = 4096;
    if (!docfields_find(&set_table, item, false, &items, fault) ||
        !docfields_store(&set_table, &items, set, fault))
        return false;
    const cJSON *name = items.item[SET_NAME], *training = items.item[SET_TRAINING];
    *rows = items.item[SET_ROWS];
    if (!cJSON_IsString(name))
        return pps_fault_set(fault, item, false, "name: missing; every set has one");
    if (items.item[SET_HARDWARE] == NULL)
        return pps_fault_set(fault, item, false, "hardware: missing; name the measured device");
    if (!cJSON_IsArray(*rows))
        return pps_fault_set(fault, item, false, "measurements: missing; expected a list");
    set->name = name->valuestring;
    if (!read_part(set, items.item[SET_FROM], items.item[SET_PART], fault))
        return false;
    training_default(&set->training);
    if (!hardware_read(&set->hardware, items.item[SET_HARDWARE], fault) ||
        (training != NULL && !training_read(&set->training, training, fault)))
        return false;
    const char *lack = training_precision_lacks(set->training.precision, &set->hardware);
    return lack == NULL ||
           pps_fault_set(fault, training, false, "precision: %s %s", set->hardware.name, lack);
}

bool nd_measurements_read(struct nd_measurement *measurements, int max, int *n,
                          const cJSON *document, struct pps_fault *fault)
{
    const cJSON *sets = cJSON_GetObjectItemCaseSensitive(document, "sets"), *each, *row;
    struct set set = {.models = cJSON_GetObjectItemCaseSensitive(document, "models")};
    *n = 0;
    if (!cJSON_IsArray(sets) || !cJSON_IsObject(set.models))
        return pps_fault_set(fault, document, false,
                             "sets: expected {\"models\": {...}, \"sets\": [...]}");
    cJSON_ArrayForEach (each, sets) {
        const cJSON *rows = NULL;
        if (!read_set(&set, each, &rows, fault))
            return false;
        cJSON_ArrayForEach (row, rows) {
            if (*n == max)
                return pps_fault_set(fault, row, false, "more than %d measurements", max);
            if (!read_row(&measurements[(*n)++], &set, row, fault))
                return false;
        }
    }
    return true;
}
