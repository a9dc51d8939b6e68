// SPDX-License-Identifier: Apache-2.0
// Reads models, clusters, stacks and a training from the documents of an experiment, and the parameters
// that they set.
#include "kernels/ndsearch/documents.h"

#include "base/document/fault.h"
#include "base/math/units.h"
#include "kernels/common/estimate/estimate.h"
#include "kernels/configuration/convert.h"
#include "kernels/ndsearch/table.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static const int cluster_sets[] = {P_WORLD_SIZE, P_MEMORY, P_RESERVE};
static const int model_sets[] = {P_SEQ_LENGTH,   P_LAYERS, P_HIDDEN, P_HEADS,
                                 P_QUERY_GROUPS, P_FFN,    P_VOCAB,  P_EXPERTS};
static const int training_sets[] = {P_GBS,
                                    P_ZERO_LEVEL,
                                    P_DISTRIBUTED_OPTIMIZER,
                                    P_BYTES_PARAM,
                                    P_BYTES_GRAD,
                                    P_BYTES_OPTIM,
                                    P_EXPERT_TENSOR_PARALLEL,
                                    P_FLASH_ATTENTION,
                                    P_FUSED_CROSS_ENTROPY,
                                    P_LOW_MEM_VPP,
                                    P_DUMMY_WGRAD,
                                    P_PRECISION};

#define LENGTH(list) ((int)(sizeof(list) / sizeof *(list)))

const struct pps_slot nd_slots[N_SLOTS] = {
    [SLOT_MODEL] = {"model", "shape of the model: a model file or a Hugging Face config.json",
                    true, P_MODEL, model_sets, LENGTH(model_sets), false,
                    configuration_convert_run},
    [SLOT_CLUSTER] = {"cluster", "number, type and memory of devices (eight H100)", false,
                      P_CLUSTER, cluster_sets, LENGTH(cluster_sets), false,
                      configuration_convert_run},
    [SLOT_STACK] = {"stack",
                    "software stack (of the training, else megatron-tuned, and fsdp for "
                    "zero_level 2 and 3)",
                    false, P_STACK, NULL, 0, false, NULL},
    [SLOT_TRAINING] = {"training", "batch, sharding, bytes per parameter and schedule", false,
                       -1, training_sets, LENGTH(training_sets), false,
                       configuration_convert_run},
};

// ---- reading ------------------------------------------------------------------------------------

static struct cluster default_cluster(void)
{
    struct cluster cluster = {.world_size = 8,
                              .node_devices = 8,
                              .hardware = *hardware_find("H100")};
    cluster.memory_limit =
        cluster.hardware.memory > 0 ? cluster.hardware.memory : 80 * UNITS_GIB;
    return cluster;
}

void nd_close(void *of)
{
    struct nd_shared *shared = of;
    if (shared == NULL)
        return;
    free(shared->models);
    free(shared->clusters);
    free(shared->stacks);
    free(shared);
}

// Without a cluster document there is one default cluster.
static struct nd_shared *new_shared(int n_models, int n_clusters, int n_stacks)
{
    struct nd_shared *shared = calloc(1, sizeof *shared);
    if (shared == NULL)
        return NULL;
    shared->n_clusters = n_clusters > 0 ? n_clusters : 1;
    shared->models = calloc((size_t)n_models + 1, sizeof *shared->models);
    shared->clusters = calloc((size_t)shared->n_clusters, sizeof *shared->clusters);
    shared->n_stacks = n_stacks;
    shared->stacks = calloc((size_t)n_stacks + 1, sizeof *shared->stacks);
    if (shared->models == NULL || shared->clusters == NULL || shared->stacks == NULL) {
        nd_close(shared);
        return NULL;
    }
    shared->clusters[0] = default_cluster();
    training_default(&shared->training);
    return shared;
}

// Returns the member `part` of a document that describes a whole run, or of the configuration of a plan (NULL: it has
// none); otherwise the document.
static const struct cJSON *part_of(const struct cJSON *document, const char *part)
{
    const cJSON *own = cJSON_GetObjectItemCaseSensitive(document, "configuration");
    if (cJSON_IsObject(own))
        document = own;
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(document, part);
    if (cJSON_IsObject(member))
        return member;
    return cJSON_GetObjectItemCaseSensitive(document, "baseline") == NULL ? document : NULL;
}

static bool names_one_stack(const struct nd_shared *shared, const struct cJSON *training,
                            struct pps_fault *fault)
{
    const struct cJSON *stack = cJSON_GetObjectItemCaseSensitive(training, "stack");
    return shared->n_stacks == 0 || stack == NULL ||
           pps_fault_set(fault, stack, true,
                         "stack: the inputs name a stack, too; remove one of them");
}

static bool read_document(struct nd_shared *shared, const struct pps_document *document, int i,
                          struct pps_fault *fault)
{
    const struct cJSON *part = part_of(document->root, nd_slots[document->slot].name);
    if (part == NULL)
        return pps_fault_set(
            fault, document->root, false,
            "the training sets no %s; write a plan: ppsweep check FILE CLUSTER "
            "-n N --plan plan.json",
            nd_slots[document->slot].name);
    switch (document->slot) {
    case SLOT_MODEL:
        return modeldesc_read(&shared->models[i], part, fault);
    case SLOT_CLUSTER:
        return cluster_read(&shared->clusters[i], part, fault);
    case SLOT_STACK:
        return stack_read(&shared->stacks[i], part, fault);
    default:
        return training_read(&shared->training, part, fault) &&
               names_one_stack(shared, part, fault);
    }
}

// Returns whether the price of the training's adapters is whole for a document that is a model.
static bool has_adapters(struct nd_shared *shared, const struct pps_document *document, int i,
                         struct pps_fault *fault)
{
    const char *lack = document->slot == SLOT_MODEL
                           ? layercost_adapters_lack(&shared->models[i], &shared->training)
                           : NULL;
    return lack == NULL || pps_fault_set(fault, document->root, false, "%s", lack);
}

typedef bool document_step(struct nd_shared *shared, const struct pps_document *document, int i,
                           struct pps_fault *fault);

// Does a step for all documents, each with its number among those of its kind.
static bool each_document(struct nd_shared *shared, const struct pps_document *documents, int n,
                          document_step *step, struct pps_fault *fault)
{
    int next[N_SLOTS] = {0};
    for (int d = 0; d < n; d++) {
        fault->document = d;
        if (!step(shared, &documents[d], next[documents[d].slot]++, fault))
            return false;
    }
    return true;
}

bool nd_open(const struct pps_document *documents, int n, void **out, struct pps_fault *fault)
{
    int count[N_SLOTS] = {0};
    for (int d = 0; d < n; d++)
        count[documents[d].slot]++;
    struct nd_shared *shared =
        new_shared(count[SLOT_MODEL], count[SLOT_CLUSTER], count[SLOT_STACK]);
    *fault = (struct pps_fault){.document = 0};
    if (shared == NULL)
        return false;
    if (!each_document(shared, documents, n, read_document, fault) ||
        !each_document(shared, documents, n, has_adapters, fault)) {
        nd_close(shared);
        return false;
    }
    *out = shared;
    return true;
}

// ---- values -------------------------------------------------------------------------------------

static void cluster_values(const struct cluster *cluster, double *values)
{
    *values++ = (double)cluster->world_size;
    *values++ = units_to_gib(cluster->memory_limit);
    *values++ = units_to_mib(cluster->reserve);
}

static void model_values(const struct modeldesc *model, double *values)
{
    *values++ = (double)model->seq_length;
    *values++ = (double)modeldesc_layers(model);
    *values++ = (double)model->hidden;
    *values++ = (double)model->heads;
    *values++ = (double)model->query_groups;
    *values++ = (double)model->ffn;
    *values++ = (double)model->vocab;
    *values++ = (double)model->experts;
}

static void training_values(const struct training *training, double *values)
{
    *values++ = (double)training->gbs;
    *values++ = training->zero_level;
    *values++ = training->distributed_optimizer;
    *values++ = training->bytes_param;
    *values++ = training->bytes_grad;
    *values++ = training->bytes_optim;
    *values++ = training->expert_tensor_parallel;
    *values++ = training->flash_attention;
    *values++ = training->fused_cross_entropy;
    *values++ = training->low_mem_vpp;
    *values++ = training->dummy_wgrad;
    *values++ = training->precision;
}

void nd_values(const void *shared, int slot, int i, double *values)
{
    const struct nd_shared *s = shared;
    if (slot == SLOT_MODEL)
        model_values(&s->models[i], values);
    else if (slot == SLOT_CLUSTER)
        cluster_values(&s->clusters[i], values);
    else if (slot == SLOT_TRAINING)
        training_values(&s->training, values);
}

// ---- doubts -------------------------------------------------------------------------------------

int nd_doubts(const struct pps_document *documents, int n, const void *shared,
              struct pps_fault *doubts, int most)
{
    int n_doubts = 0;
    (void)shared;
    for (int d = 0; d < n; d++) {
        struct modeldesc_note notes[16];
        const int room = most - n_doubts < 16 ? most - n_doubts : 16;
        if (documents[d].slot != SLOT_MODEL)
            continue;
        const int found =
            modeldesc_notes(part_of(documents[d].root, nd_slots[SLOT_MODEL].name), notes, room);
        for (int k = 0; k < found && k < room; k++) {
            struct pps_fault *doubt = &doubts[n_doubts++];
            pps_fault_set(doubt, notes[k].item, false, "%s is read and not modelled",
                          notes[k].text);
            doubt->document = d;
        }
    }
    return n_doubts;
}
