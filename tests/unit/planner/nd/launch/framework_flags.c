// SPDX-License-Identifier: Apache-2.0
// Launch lines of all shipped models against tables of the frameworks' own constraints.
#include "tests/unit/support/documents.h"
#include "tests/unit/support/kernels/launch_flags.h"
#include "tests/unit/support/kernels/nd_points.h"

#include "planner/nd/launch/launch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 128, TRIALS = 400 };

// ---- a launch line as names and values ----------------------------------------------------------

struct pair {
    char name[80];
    const char *value; // "" of a flag
};

struct line {
    char *text; // values point into it
    struct pair pair[PAIRS];
    int n;
    bool refused; // a comment states that the framework does not start
};

static const char *value_of(const struct line *line, const char *name)
{
    for (int i = 0; i < line->n; i++)
        if (strcmp(line->pair[i].name, name) == 0)
            return line->pair[i].value;
    return NULL;
}

static long number_of(const struct line *line, const char *name, long otherwise)
{
    const char *value = value_of(line, name);
    return value == NULL ? otherwise : atol(value);
}

static struct pair *add_pair(struct line *line)
{
    cr_assert(line->n < PAIRS);
    return &line->pair[line->n++];
}

// Removes the characters of `unwanted` at both ends.
static char *trimmed(char *text, const char *unwanted)
{
    text += strspn(text, unwanted);
    for (size_t n = strlen(text); n > 0 && strchr(unwanted, text[n - 1]) != NULL; n--)
        text[n - 1] = '\0';
    return text;
}

static void read_megatron(struct line *line)
{
    char *save = NULL;
    bool last = false;
    for (char *row = strtok_r(line->text, "\n", &save); row != NULL;
         row = strtok_r(NULL, "\n", &save)) {
        if (row[0] == '#')
            continue;
        cr_assert(!last, "an option after the last line: %s", row);
        last = row[strlen(row) - 1] != '\\';
        cr_assert(strncmp(row, "--", 2) == 0, "%s", row);
        row = trimmed(row + 2, " \\");
        const size_t n = strcspn(row, " ");
        struct pair *pair = add_pair(line);
        snprintf(pair->name, sizeof pair->name, "%.*s", (int)n, row);
        pair->value = trimmed(row + n, " '");
    }
    cr_assert(last, "the last option ends in a backslash");
}

static void read_torchtitan(struct line *line)
{
    char *save = NULL, section[40] = "";
    for (char *row = strtok_r(line->text, "\n", &save); row != NULL;
         row = strtok_r(NULL, "\n", &save)) {
        char *equals = strstr(row, " = ");
        if (row[0] == '[')
            snprintf(section, sizeof section, "%s", trimmed(row, "[]"));
        else if (row[0] != '#' && equals != NULL) {
            struct pair *pair = add_pair(line);
            snprintf(pair->name, sizeof pair->name, "%s.%.*s", section, (int)(equals - row),
                     row);
            pair->value = trimmed(equals + 3, "\"");
        }
    }
}

static void read_line(struct line *line, struct text_buffer *text, bool megatron)
{
    cr_assert(!text->failed && text->n > 0);
    *line = (struct line){.text = strdup(text->text)};
    line->refused = strstr(text->text, "# does not start:") != NULL;
    if (megatron)
        read_megatron(line);
    else
        read_torchtitan(line);
}

// ---- against a table ----------------------------------------------------------------------------

static bool is_among(const char *word, size_t n, const char *words)
{
    for (const char *at = words; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == n && strncmp(at, word, n) == 0)
            return true;
        at += length;
    }
    return false;
}

// "name" or "name=value", n characters.
static bool holds(const struct line *line, const char *wanted, size_t n)
{
    char name[120];
    snprintf(name, sizeof name, "%.*s", (int)n, wanted);
    char *equals = strchr(name, '=');
    if (equals != NULL)
        *equals = '\0';
    const char *value = value_of(line, name);
    return value != NULL && (equals == NULL || strcmp(value, equals + 1) == 0);
}

static bool holds_one(const struct line *line, const char *wanted, size_t n)
{
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && wanted[end] != '|';)
            end++;
        if (holds(line, wanted + at, end - at))
            return true;
    }
    return false;
}

static void check_links(const struct line *line, const struct flag *flag)
{
    for (const char *at = flag->needs; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        cr_assert(holds_one(line, at, n), "%s needs %.*s", flag->name, (int)n, at);
        at += n;
    }
    for (const char *at = flag->excludes; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        cr_assert_not(holds(line, at, n), "%s excludes %.*s", flag->name, (int)n, at);
        at += n;
    }
}

static void check_value(const struct pair *pair, const struct flag *flag)
{
    const char *value = pair->value;
    if (flag->kind == FLAG_ON)
        cr_assert_str_empty(value, "--%s %s", pair->name, value);
    else
        cr_assert(value[0] != '\0', "--%s has no value", pair->name);
    if (flag->kind == FLAG_WHOLE)
        cr_assert(strspn(value, "0123456789") == strlen(value) && atol(value) >= 1, "--%s %s",
                  pair->name, value);
    if (flag->kind == FLAG_WORD)
        cr_assert(is_among(value, strlen(value), flag->words), "--%s %s", pair->name, value);
    for (const char *at = value; flag->kind == FLAG_WORDS && *at != '\0';
         at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        cr_assert(is_among(at, n, flag->words), "--%s %s", pair->name, value);
        at += n;
    }
}

static void check_table(const struct line *line, const struct flag *flags)
{
    for (int i = 0; i < line->n; i++) {
        size_t k = 0;
        while (flags[k].name != NULL && strcmp(flags[k].name, line->pair[i].name) != 0)
            k++;
        cr_assert(flags[k].name != NULL, "the framework has no option %s", line->pair[i].name);
        check_value(&line->pair[i], &flags[k]);
        check_links(line, &flags[k]);
        for (int j = 0; j < i; j++)
            cr_assert_str_neq(line->pair[i].name, line->pair[j].name);
    }
}

// ---- relations of numbers -----------------------------------------------------------------------

static long layers_in(const char *layout, char kind)
{
    long n = 0;
    for (; *layout != '\0'; layout++)
        n += *layout == kind;
    return n;
}

// Layers of every chunk, the order of E ... L, and the number of chunks.
static void check_layout(const struct line *line, const struct nd_launch *launch)
{
    const char *layout = value_of(line, "pipeline-model-parallel-layout");
    const struct nd_strategy *s = launch->strategy;
    if (layout == NULL)
        return;
    const size_t n = strlen(layout);
    cr_assert(layout[0] == 'E' && layout[n - 1] == 'L');
    cr_assert_eq(layers_in(layout, 'E') + layers_in(layout, 'L'), 2);
    cr_assert_eq(layers_in(layout, 't'), launch->model->num_layers);
    cr_assert_eq(layers_in(layout, 'm'), launch->model->mtp_depth);
    cr_assert_eq(layers_in(layout, '|'), s->pp * s->vp - 1);
    const char *mtp = strchr(layout, 'm');
    cr_assert(mtp == NULL || (strchr(mtp, '|') == NULL && strchr(mtp, 't') == NULL), "%s",
              layout);
}

// Whether Megatron-LM refuses these numbers.
static bool megatron_refuses(const struct line *line, const struct nd_strategy *s)
{
    const long tp = number_of(line, "tensor-model-parallel-size", 1);
    const long cp = number_of(line, "context-parallel-size", 1);
    const long pp = number_of(line, "pipeline-model-parallel-size", 1);
    const long ep = number_of(line, "expert-model-parallel-size", 1);
    const long etp = number_of(line, "expert-tensor-parallel-size", 1);
    const long gbs = number_of(line, "global-batch-size", 1);
    const long batch = number_of(line, "micro-batch-size", 1) * s->dp;
    const long group = number_of(line, "microbatch-group-size-per-virtual-pipeline-stage", pp);
    const long experts = number_of(line, "num-experts", 0);
    const long replicas = s->dp * cp, seq = number_of(line, "seq-length", 0);
    const long copies = number_of(line, "num-distributed-optimizer-instances", 1);
    const long groups = number_of(line, "num-query-groups", tp);
    const bool interleaved = pp > 1 && s->vp > 1;
    cr_assert_eq(replicas % copies, 0);
    if (experts > 0 && replicas * tp % (ep * etp) == 0)
        cr_assert_eq(replicas * tp / (ep * etp) % copies, 0);
    cr_assert(experts == 0 || tp == 1 || value_of(line, "sequence-parallel") != NULL);
    if (interleaved && gbs / batch >= pp)
        cr_assert(group >= pp && group <= gbs / batch &&
                  (gbs / batch % group == 0 || gbs / batch % group >= pp));
    if (number_of(line, "num-virtual-stages-per-pipeline-rank", 0) > 0)
        cr_assert_eq(number_of(line, "num-layers", 0) % (pp * s->vp), 0);
    else if (value_of(line, "pipeline-model-parallel-layout") == NULL)
        cr_assert_eq(number_of(line, "num-layers", 0) % pp, 0);
    return number_of(line, "num-attention-heads", 1) % tp != 0 ||
           (groups % tp != 0 && tp % groups != 0) || (cp > 1 && seq % (2 * cp) != 0) ||
           (experts > 0 && experts % ep != 0) || replicas * tp % (ep * etp) != 0 ||
           (experts > 0 && etp > 1 && value_of(line, "disable-bias-linear") == NULL) ||
           gbs % batch != 0 || (interleaved && gbs / batch < pp) ||
           seq > number_of(line, "max-position-embeddings", 0);
}

static bool torchtitan_refuses(const struct line *line, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const long tp = number_of(line, "parallelism.tensor_parallel_degree", 1);
    const long cp = number_of(line, "parallelism.context_parallel_degree", 1);
    const long pp = number_of(line, "parallelism.pipeline_parallel_degree", 1);
    const long ep = number_of(line, "parallelism.expert_parallel_degree", 1);
    const long etp = number_of(line, "parallelism.expert_tensor_parallel_degree", 1);
    const long shard = number_of(line, "parallelism.data_parallel_shard_degree", 1);
    const long copies = number_of(line, "parallelism.data_parallel_replicate_degree", 1);
    const long gbs = number_of(line, "training.global_batch_size", 1);
    const long local = number_of(line, "training.local_batch_size", 1);
    const long micro = pp > 1 ? local / s->mbs : 1;
    const long rounds = micro / pp > 1 ? micro / pp : 1;
    cr_assert_eq(shard * copies, s->dp);
    cr_assert(etp == 1 || etp == tp);
    return (ep > 1 && shard * cp * tp % (ep * etp) != 0) || gbs % (local * s->dp) != 0 ||
           local % s->mbs != 0 || number_of(line, "training.seq_len", 1) % (2 * cp * tp) != 0 ||
           (pp > 1 && s->vp > 1 && micro % rounds != 0);
}

// ---- the line means what was priced -------------------------------------------------------------

static void check_meaning(const struct line *line, const struct nd_launch *launch)
{
    const struct nd_strategy *s = launch->strategy;
    const struct training *t = launch->training;
    const int zero = t->distributed_optimizer ? t->zero_level : 0;
    const char *modules = value_of(line, "recompute-modules");
    cr_assert_eq(number_of(line, "micro-batch-size", 0), s->mbs);
    cr_assert_eq(value_of(line, "use-distributed-optimizer") != NULL, zero >= 1);
    cr_assert_eq(value_of(line, "use-megatron-fsdp") != NULL, zero >= 2);
    cr_assert_eq(value_of(line, "overlap-grad-reduce") != NULL, s->dp * s->cp > 1);
    cr_assert_eq(value_of(line, "cross-entropy-loss-fusion") != NULL, launch->fused_ce);
    cr_assert_eq(modules != NULL, s->recompute == ND_RECOMPUTE_SELECT);
    cr_assert_eq(value_of(line, "tp-comm-overlap") != NULL,
                 s->tp > 1 && s->sp && training_stack(t)->tp_exposed < 1);
    cr_assert_eq(value_of(line, "fp8-format") != NULL, t->precision != TRAINING_BF16);
    if (modules != NULL && t->recompute_modules == 0)
        cr_assert_eq(strstr(modules, "core_attn") != NULL, !t->flash_attention);
    if (launch->model->experts > 0) {
        cr_assert(holds(line, "moe-token-dispatcher-type=alltoall", 34));
        cr_assert_not_null(value_of(line, "moe-grouped-gemm"));
        cr_assert_eq(holds(line, "moe-router-score-function=sigmoid", 33),
                     launch->model->router_bias);
    }
}

// ---- strategies ---------------------------------------------------------------------------------

static void choose(struct random *r, struct nd_strategy *s, struct training *t,
                   const struct modeldesc *m)
{
    static const int32_t depths[] = {1, 2, 3, 4, 8};
    *s = (struct nd_strategy){.dp = 1 << random_below(r, 5),
                              .tp = 1 << random_below(r, 5),
                              .cp = 1 << random_below(r, 3),
                              .pp = depths[random_below(r, 5)],
                              .ep = 1,
                              .vp = 1,
                              .mbs = 1 << random_below(r, 2),
                              .sp = random_coin(r),
                              .recompute = (enum nd_recompute)random_below(r, 3)};
    if (s->pp > 1)
        s->vp = 1 + (int32_t)random_below(r, 3);
    if (m->experts > 0)
        s->ep = 1 << random_below(r, 5);
    s->op = random_coin(r) ? s->dp * s->cp : 1 << random_below(r, 5);
    *t = random_training(r);
    t->gbs = s->dp * s->mbs * (s->pp + random_below(r, 40));
}

static void try_one(struct random *r, const struct modeldesc *m, const char *name)
{
    struct nd_strategy s;
    struct training t;
    choose(r, &s, &t, m);
    const int64_t all = modeldesc_layers(m), n = s.pp * s.vp;
    int32_t layers[64];
    for (int64_t c = 0; c < n; c++)
        layers[c] = (int32_t)(all / n + (c >= n - all % n));
    const struct nd_launch launch = {m, &t, &s, layers, random_coin(r)};
    for (int framework = 0; framework < 2; framework++) {
        struct text_buffer text = {.text = NULL};
        struct line line;
        (framework == 0 ? nd_launch_megatron : nd_launch_torchtitan)(&text, &launch);
        read_line(&line, &text, framework == 0);
        if (framework == 0) {
            check_table(&line, megatron_flags);
            check_layout(&line, &launch);
            check_meaning(&line, &launch);
            cr_assert_eq(line.refused, megatron_refuses(&line, &s), "%s\n%s", name, text.text);
        } else {
            check_table(&line, torchtitan_flags);
            cr_assert_eq(line.refused, torchtitan_refuses(&line, &launch), "%s\n%s", name,
                         text.text);
        }
        free(line.text);
        text_buffer_free(&text);
    }
}

// Catches options that a framework does not have, values that its parser refuses, options without
// the options that they need, and constraints that are violated without a comment: sigmoid scores for
// an expert bias, modules of selective recompute, sequence parallelism beside experts.
Test(nd_launch_flags, lines_of_all_shipped_models_satisfy_the_frameworks)
{
    char place[512];
    struct random r = {11};
    int models = 0;
    snprintf(place, sizeof place, "%s/sweep_configs/models", PPS_SOURCE);
    DIR *dir = opendir(place);
    cr_assert_not_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[600];
        struct pps_fault fault;
        struct modeldesc model;
        if (strstr(entry->d_name, ".json") == NULL)
            continue;
        snprintf(path, sizeof path, "sweep_configs/models/%s", entry->d_name);
        struct pps_json json = document_in(path);
        cr_assert(modeldesc_read(&model, json.root, &fault), "%s: %s", path, fault.text);
        pps_json_free(&json);
        for (int i = 0; i < TRIALS; i++)
            try_one(&r, &model, entry->d_name);
        models++;
    }
    closedir(dir);
    cr_assert(models >= 18);
}
