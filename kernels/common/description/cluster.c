// SPDX-License-Identifier: Apache-2.0
// Reads a cluster: the number and kind of its devices, and the memory that they may use.
#include "base/document/fields.h"
#include "base/math/units.h"
#include "kernels/common/description/hardware.h"

#include <cjson/cJSON.h>

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))
#define AT(member)  offsetof(struct reading, member)

enum field {
    KEY_WORLD_SIZE,
    KEY_NODES,
    KEY_PER_NODE,
    KEY_MEMORY,
    KEY_RESERVE,
    KEY_HARDWARE,
    KEY_NAME, // of the document
    N_KEYS
};

enum { MOST_DEVICES = 1 << 20, LIMIT_GIB = 58 };

struct reading {
    int64_t world_size, nodes, per_node;
    double memory, reserve_mib;
};

static const struct docfield fields[N_KEYS] = {
    [KEY_WORLD_SIZE] = {"world_size", DOCFIELD_WHOLE, 1, MOST_DEVICES, AT(world_size)},
    [KEY_NODES] = {"nnodes", DOCFIELD_WHOLE, 1, MOST_DEVICES, AT(nodes)},
    [KEY_PER_NODE] = {"npus_per_node", DOCFIELD_WHOLE, 1, MOST_DEVICES, AT(per_node)},
    [KEY_MEMORY] = {"max_device_memory", DOCFIELD_GIB, 0, 0, AT(memory)},
    [KEY_RESERVE] = {"memory_reserve_mb", DOCFIELD_REAL, 0, 1e9, AT(reserve_mib)},
    [KEY_HARDWARE] = {"hardware", DOCFIELD_OWN, 0, 0, 0},
    [KEY_NAME] = {"name", DOCFIELD_OWN, 0, 0, 0},
};

static const struct docalias aliases[] = {
    {"gpus_per_node", "npus_per_node"},
};

static const struct docfields table = {
    "a cluster", fields, N_KEYS, aliases, COUNT_OF(aliases),
};

static bool devices_of(const struct reading *reading, const struct docitems *items,
                       const struct cJSON *document, struct cluster *cluster,
                       struct pps_fault *fault)
{
    const struct cJSON *world = items->item[KEY_WORLD_SIZE], *nodes = items->item[KEY_NODES];
    const int64_t product = reading->nodes * reading->per_node;
    if (world == NULL && nodes == NULL && items->item[KEY_PER_NODE] == NULL)
        return pps_fault_set(fault, document, false,
                             "world_size: missing; give the number of devices");
    if (product > MOST_DEVICES)
        return pps_fault_set(fault, nodes, false, "nnodes: %lld devices are more than %d",
                             (long long)product, MOST_DEVICES);
    if (world != NULL && nodes != NULL && reading->world_size != product)
        return pps_fault_set(
            fault, world, false, "world_size: %lld nodes of %lld devices are %lld devices",
            (long long)reading->nodes, (long long)reading->per_node, (long long)product);
    cluster->world_size = world != NULL ? reading->world_size : product;
    cluster->node_devices = reading->per_node;
    return true;
}

bool cluster_read(struct cluster *cluster, const struct cJSON *document,
                  struct pps_fault *fault)
{
    struct docitems items;
    struct cluster read = {.hardware = *hardware_find("H100")};
    struct reading reading = {.nodes = 1, .memory = LIMIT_GIB * UNITS_GIB};
    if (!docfields_find(&table, document, false, &items, fault))
        return false;
    if (items.item[KEY_HARDWARE] != NULL &&
        !hardware_read(&read.hardware, items.item[KEY_HARDWARE], fault))
        return false;
    reading.per_node = read.hardware.node;
    if (!docfields_store(&table, &items, &reading, fault) ||
        !devices_of(&reading, &items, document, &read, fault))
        return false;
    read.hardware.node = read.node_devices;
    read.memory_limit = reading.memory;
    read.reserve = reading.reserve_mib * UNITS_MIB;
    if (read.reserve >= read.memory_limit)
        return pps_fault_set(fault, items.item[KEY_RESERVE], false,
                             "memory_reserve_mb: leaves nothing of max_device_memory, %.0f MiB",
                             units_to_mib(read.memory_limit));
    *cluster = read;
    return true;
}

struct cJSON *cluster_document(const struct cluster *cluster)
{
    const struct reading reading = {.world_size = cluster->world_size,
                                    .per_node = cluster->node_devices,
                                    .memory = cluster->memory_limit,
                                    .reserve_mib = units_to_mib(cluster->reserve)};
    const struct reading other = {.world_size = 0};
    struct cJSON *object = cJSON_CreateObject(),
                 *hardware = hardware_document(&cluster->hardware);
    if (object == NULL || hardware == NULL ||
        !cJSON_AddItemToObject(object, "hardware", hardware)) {
        cJSON_Delete(object);
        cJSON_Delete(hardware);
        return NULL;
    }
    if (!docfields_add(&table, &reading, &other, object)) {
        cJSON_Delete(object);
        return NULL;
    }
    return object;
}

const struct docfields *cluster_keys(void)
{
    return &table;
}
