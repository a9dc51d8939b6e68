// SPDX-License-Identifier: Apache-2.0
// Reads run documents with assumed or given devices.
#include "kernels/configuration/run.h"

#include "base/document/json.h"
#include "base/math/units.h"

static bool fail(struct pps_fault *fault, const char *why)
{
    return pps_fault_set(fault, NULL, false, "%s", why);
}

// Completes a cluster of H100 devices, all of whose memory may be used but for what the framework takes.
static void assume_devices(struct cluster *cluster, bool limited)
{
    static const double reserve_gib = 4; // as of the shipped clusters
    cluster->hardware = *hardware_find("H100");
    if (limited)
        return;
    cluster->memory_limit = cluster->hardware.memory;
    cluster->reserve = reserve_gib * UNITS_GIB;
}

// Reads the cluster of the run, and takes its devices for those of another one.
static bool read_cluster(struct configuration *c, const struct rundoc *parts,
                         const struct cJSON *cluster, struct pps_fault *fault)
{
    struct cluster own;
    if (cluster == NULL) {
        if (!cluster_read(&c->cluster, parts->cluster, fault))
            return false;
        assume_devices(&c->cluster,
                       pps_json_member(parts->cluster, "max_device_memory") != NULL);
        return true;
    }
    if (!cluster_read(&c->cluster, cluster, fault) ||
        !cluster_read(&own, parts->cluster, fault))
        return false;
    c->cluster.world_size = own.world_size;
    return true;
}

bool configuration_read_run(struct configuration *c, const struct rundoc *parts,
                            const struct cJSON *cluster, struct pps_fault *fault)
{
    struct configuration_items items;
    char why[256];
    bool no_memory;
    training_default(&c->training);
    if (parts->model == NULL)
        return fail(fault, "the model is not known; write a plan: "
                           "ppsweep check MODEL FILE CLUSTER --plan plan.json");
    if (parts->cluster == NULL)
        return fail(fault, "the file does not say how many devices it is for; write a plan: "
                           "ppsweep check FILE CLUSTER -n N --plan plan.json");
    if (parts->baseline == NULL)
        return fail(fault, "the file sets no strategy");
    if (!modeldesc_read(&c->model, parts->model, fault) ||
        !read_cluster(c, parts, cluster, fault) ||
        (parts->training != NULL && !training_read(&c->training, parts->training, fault)))
        return false;
    if (!configuration_read(c, parts->baseline, &items, &no_memory, fault))
        return no_memory ? fail(fault, "out of memory for this document") : false;
    return configuration_check(c, why, sizeof why) || fail(fault, why);
}
