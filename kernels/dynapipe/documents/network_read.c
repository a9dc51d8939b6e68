// SPDX-License-Identifier: Apache-2.0
// Reads networks and links.
#include "kernels/dynapipe/documents/network_read.h"

#include "base/document/fields.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>

enum { LAYERS_MOST = NETWORK_LAYERS_MAX / 2, HIDDEN_MOST = 1 << 24 };

struct network_record {
    int64_t encoders, decoders, hidden, bytes;
};

static const struct docfield network_fields[] = {
    {"encoder_layers", DOCFIELD_WHOLE, 0, LAYERS_MOST,
     offsetof(struct network_record, encoders)},
    {"decoder_layers", DOCFIELD_WHOLE, 0, LAYERS_MOST,
     offsetof(struct network_record, decoders)},
    {"hidden", DOCFIELD_WHOLE, 1, HIDDEN_MOST, offsetof(struct network_record, hidden)},
    {"element_bytes", DOCFIELD_WHOLE, 1, 16, offsetof(struct network_record, bytes)},
    {"name", DOCFIELD_OWN, 0, 0, 0},
};
static const struct docfields network_table = {"a network", network_fields, 5, NULL, 0};

static const struct docfield links_fields[] = {
    {"node_devices", DOCFIELD_REAL, 1, DYNAPIPE_DEVICES_MAX, 0},
    {"bandwidth_inside_gbps", DOCFIELD_ABOVE, 0, 1e9, sizeof(double)},
    {"bandwidth_between_gbps", DOCFIELD_ABOVE, 0, 1e9, 2 * sizeof(double)},
    {"latency_inside_us", DOCFIELD_REAL, 0, 1e9, 3 * sizeof(double)},
    {"latency_between_us", DOCFIELD_REAL, 0, 1e9, 4 * sizeof(double)},
    {"memory_mb", DOCFIELD_ABOVE, 0, 1e12, 5 * sizeof(double)},
    {"name", DOCFIELD_OWN, 0, 0, 0},
};
enum { LINKS_NUMBERS = 6 };
static const struct docfields links_table = {"the links of a cluster", links_fields, 7, NULL,
                                             0};

const struct cJSON *network_of_costs(const struct cJSON *costs)
{
    const cJSON *tables = cJSON_GetObjectItemCaseSensitive(costs, "tables"),
                *network = cJSON_GetObjectItemCaseSensitive(costs, "network");
    if (network == NULL && cJSON_IsArray(tables))
        network = cJSON_GetObjectItemCaseSensitive(tables->child, "network");
    return network;
}

static bool has_any(const cJSON *root, const struct docfields *table, int n)
{
    for (int k = 0; k < n; k++)
        if (cJSON_GetObjectItemCaseSensitive(root, table->fields[k].key) != NULL &&
            table->fields[k].kind != DOCFIELD_OWN)
            return true;
    return false;
}

// A network and links of descriptions that have been read.
static struct network network_of_model(const struct modeldesc *model)
{
    return (struct network){(int32_t)model->num_layers, 0, (int32_t)model->hidden, 2};
}

bool network_read(const struct cJSON *root, struct network *network, struct pps_fault *fault)
{
    struct network_record record = {.encoders = 0, .bytes = 2};
    struct modeldesc model;
    struct docitems items;
    *fault = (struct pps_fault){.document = 0};
    if (!cJSON_IsObject(root))
        return pps_fault_set(
            fault, root, false,
            "expected a network, as in {\"encoder_layers\": 24, \"hidden\": 1024}");
    if (!has_any(root, &network_table, 2)) {
        if (!modeldesc_read(&model, root, fault))
            return false;
        if (model.num_layers > LAYERS_MOST)
            return pps_fault_set(fault, root, false, "at most %d layers", LAYERS_MOST);
        *network = network_of_model(&model);
        return true;
    }
    if (!docfields_find(&network_table, root, false, &items, fault) ||
        !docfields_store(&network_table, &items, &record, fault))
        return false;
    if (record.encoders + record.decoders == 0)
        return pps_fault_set(fault, root, false,
                             "the network has no layers; write encoder_layers (all layers of a "
                             "network without cross attention)");
    if (items.item[2] == NULL)
        return pps_fault_set(fault, root, false, "\"hidden\" is missing");
    *network = (struct network){(int32_t)record.encoders, (int32_t)record.decoders,
                                (int32_t)record.hidden, (int32_t)record.bytes};
    return true;
}

// Takes the number of layers of a kind out of a document.
static bool take_layers(cJSON *root, const char *key, int32_t *layers, struct pps_fault *fault)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, key);
    const double n = cJSON_IsNumber(item) ? item->valuedouble : 0;
    if (!(n >= 1 && n <= LAYERS_MOST && n == floor(n)))
        return pps_fault_set(fault, item != NULL ? item : root, false,
                             "%s: expected a whole number from 1 to %d", key, LAYERS_MOST);
    *layers = (int32_t)n;
    cJSON_DeleteItemFromObjectCaseSensitive(root, key);
    return true;
}

bool network_model_read(struct cJSON *root, struct modeldesc *model, struct network *network,
                        struct pps_fault *fault)
{
    int32_t encoders, decoders;
    *fault = (struct pps_fault){.document = 0};
    if (!has_any(root, &network_table, 2))
        return modeldesc_read(model, root, fault) && network_read(root, network, fault);
    if (!take_layers(root, "encoder_layers", &encoders, fault) ||
        !take_layers(root, "decoder_layers", &decoders, fault))
        return false;
    if (cJSON_AddNumberToObject(root, "num_layers", encoders + decoders) == NULL)
        return pps_fault_memory(fault);
    if (!modeldesc_read(model, root, fault))
        return false;
    if (model->n_kinds > 0 || model->experts > 0)
        return pps_fault_set(
            fault, root, false,
            "cross attention is modelled for layers of one kind, without experts");
    *network = network_of_model(model);
    network->encoders = encoders;
    network->decoders = decoders;
    return true;
}

static void network_links_of_cluster(const struct cluster *cluster, struct network_links *links,
                                     double *memory)
{
    const struct hardware *h = &cluster->hardware;
    const double gbps = 8 / 1e9 * h->link_eff;
    *links = (struct network_links){
        .node_devices = (int32_t)fmin((double)cluster->node_devices, DYNAPIPE_DEVICES_MAX),
        .bandwidth_inside = h->intra * gbps,
        .bandwidth_between = h->inter * gbps,
        .latency_inside = h->alpha * 1e6,
        .latency_between = h->alpha * 1e6,
    };
    *memory = cluster->memory_limit > cluster->reserve
                  ? (cluster->memory_limit - cluster->reserve) / 1e6
                  : (double)INFINITY;
}

bool network_links_read(const struct cJSON *root, struct network_links *links, double *memory,
                        struct pps_fault *fault)
{
    double record[LINKS_NUMBERS] = {0, 0, 0, 0, 0, (double)INFINITY};
    struct cluster cluster;
    struct docitems items;
    *fault = (struct pps_fault){.document = 0};
    if (!has_any(root, &links_table, LINKS_NUMBERS - 1)) {
        if (!cluster_read(&cluster, root, fault))
            return false;
        network_links_of_cluster(&cluster, links, memory);
        return true;
    }
    if (!docfields_find(&links_table, root, false, &items, fault) ||
        !docfields_store(&links_table, &items, record, fault))
        return false;
    for (int k = 0; k < LINKS_NUMBERS - 1; k++)
        if (items.item[k] == NULL)
            return pps_fault_set(fault, root, false, "\"%s\" is missing", links_fields[k].key);
    *links =
        (struct network_links){(int32_t)record[0], record[1], record[2], record[3], record[4]};
    *memory = record[5];
    return true;
}
