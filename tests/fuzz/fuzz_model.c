// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any JSON document as a model, a device, a cluster, a training setup and a whole
// run. An accepted document must be countable; a rejected document must name one of its values
// and give a reason of one line.
#include "base/document/json.h"
#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/run_document.h"
#include "kernels/common/description/training.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void check_fault(const struct pps_fault *fault)
{
    require(fault->text[0] != '\0');
    for (const char *c = fault->text; *c != '\0'; c++)
        require((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void check_place(const struct pps_json *json, const struct pps_fault *fault)
{
    struct pps_error err;
    check_fault(fault);
    if (fault->item == NULL)
        return;
    pps_json_fail(json, fault->item, &err, "%s", fault->text);
    require(err.line > 0 && err.column > 0);
}

static void check_counts(const struct modeldesc *m)
{
    struct modeldesc_counts c;
    modeldesc_count(m, &c);
    require(m->num_layers > 0 && m->hidden > 0 && m->vocab > 0 && m->head_dim > 0);
    require(m->heads % m->query_groups == 0 && m->ffn > 0 && m->seq_length > 0);
    require(m->dense_layers <= m->num_layers && m->topk <= m->experts);
    require((m->experts == 0) == (m->moe_ffn == 0));
    require(c.active > 0 && c.active <= c.total && c.total < (int64_t)1 << 62);
    require(c.attention > 0 && c.dense_layer > c.attention && c.embedding > 0);
}

static void check_cluster(const struct cluster *c)
{
    require(c->world_size > 0 && c->node_devices > 0 && c->hardware.node == c->node_devices);
    require(c->memory_limit > c->reserve && c->reserve >= 0);
    require(c->hardware.peak > 0 && c->hardware.hbm > 0 && c->hardware.inter > 0);
    require(c->hardware.gemm_eff > 0 && c->hardware.link_eff <= 1 && c->hardware.alpha >= 0);
}

static void check_training(const struct training *t)
{
    require(t->gbs > 0 && t->n_mbs > 0 && t->n_mbs <= TRAINING_MBS_MAX);
    for (int i = 0; i < t->n_mbs; i++)
        require(t->mbs[i] > 0);
    require(t->zero_level >= 0 && t->zero_level <= 3 && t->bytes_param > 0);
}

static void read_parts(const struct pps_json *json)
{
    struct modeldesc model;
    struct hardware hardware;
    struct cluster cluster;
    struct training training;
    struct pps_fault fault;
    const char *keys[4];
    struct modeldesc_note notes[4];
    training_default(&training);
    require(modeldesc_ignored(json->root, keys, 4) >= 0);
    require(modeldesc_notes(json->root, notes, 4) >= 0);
    if (modeldesc_read(&model, json->root, &fault))
        check_counts(&model);
    else
        check_place(json, &fault);
    if (cluster_read(&cluster, json->root, &fault))
        check_cluster(&cluster);
    else
        check_place(json, &fault);
    if (!hardware_read(&hardware, json->root, &fault))
        check_place(json, &fault);
    if (!training_read(&training, json->root, &fault))
        check_place(json, &fault);
    check_training(&training);
    struct stack stack;
    if (stack_read(&stack, json->root, &fault))
        require(stack.name[0] != '\0' && stack.scale > 0 && stack.n_on <= STACK_DEVICES);
    else
        check_place(json, &fault);
}

// The split creates parts that have no place in the text, so errors there need none.
static void read_run(const struct pps_json *json)
{
    struct rundoc run;
    struct modeldesc model;
    struct cluster cluster;
    struct training training;
    struct pps_fault fault;
    training_default(&training);
    if (!rundoc_split(&run, json->root, &fault)) {
        check_place(json, &fault);
        return;
    }
    if (run.model != NULL && modeldesc_read(&model, run.model, &fault))
        check_counts(&model);
    if (run.cluster != NULL && cluster_read(&cluster, run.cluster, &fault))
        check_cluster(&cluster);
    if (run.training != NULL && !training_read(&training, run.training, &fault))
        check_fault(&fault);
    check_training(&training);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pps_json json;
    struct pps_error err;
    if (pps_json_parse(&json, "fuzz", (const char *)data, size, &err) != PPS_OK)
        return 0;
    read_parts(&json);
    read_run(&json);
    pps_json_free(&json);
    return 0;
}
