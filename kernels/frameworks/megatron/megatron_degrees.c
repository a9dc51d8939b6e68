// SPDX-License-Identifier: Apache-2.0
// Derives the number of devices and the degrees of parallelism, and checks that they agree.
#include "kernels/frameworks/megatron/megatron_private.h"

// ---- devices ---------------------------------------------------------------------------------

static bool put_cluster(const struct megatron *m, const char *key, enum megatron_key from)
{
    const struct megatron_value *value = &m->values[from];
    return framework_put_number(m->r, FRAMEWORK_CLUSTER, key, (double)value->number, value->at);
}

// Returns the number of devices, 0: not given. *from: the argument to blame.
static int64_t devices(const struct megatron *m, enum megatron_key *from)
{
    *from = megatron_has(m, MG_WORKERS) ? MG_WORKERS : MG_NODES;
    if (megatron_has(m, MG_WORKERS))
        return m->values[MG_WORKERS].number;
    if (!megatron_has(m, MG_NODES))
        *from = MG_PER_NODE;
    if (!megatron_has(m, MG_PER_NODE) || m->nodes_unknown)
        return 0;
    return megatron_number(m, MG_NODES, 1) * m->values[MG_PER_NODE].number;
}

static bool read_cluster(struct megatron *m)
{
    if (megatron_has(m, MG_WORKERS)) {
        const enum megatron_key per_node =
            megatron_has(m, MG_LOCAL_WORKERS) ? MG_LOCAL_WORKERS : MG_PER_NODE;
        return put_cluster(m, "world_size", MG_WORKERS) &&
               (!megatron_has(m, per_node) || put_cluster(m, "npus_per_node", per_node));
    }
    if (!megatron_has(m, MG_PER_NODE) || m->nodes_unknown)
        return true;
    return put_cluster(m, "npus_per_node", MG_PER_NODE) &&
           (megatron_has(m, MG_NODES) ? put_cluster(m, "nnodes", MG_NODES)
                                      : framework_put_number(m->r, FRAMEWORK_CLUSTER, "nnodes",
                                                             1, m->values[MG_PER_NODE].at));
}

// ---- degrees ---------------------------------------------------------------------------------

static bool put_degree(const struct megatron *m, const char *name, int64_t degree,
                       enum megatron_key from)
{
    return framework_put_number(m->r, FRAMEWORK_BASELINE, name, (double)degree,
                                megatron_at(m, from));
}

static void check_devices(struct megatron *m)
{
    enum megatron_key from;
    const int64_t world = devices(m, &from), ranks = m->tp * m->pp * m->cp;
    m->dp = world % ranks == 0 ? world / ranks : 0;
    if (world % ranks != 0)
        megatron_cannot_run(m, from,
                            "%lld devices cannot be shared by tensor x pipeline x context = "
                            "%lld x %lld x %lld = %lld ranks; correct the devices or a degree",
                            (long long)world, (long long)m->tp, (long long)m->pp,
                            (long long)m->cp, (long long)ranks);
}

static void check_experts(const struct megatron *m)
{
    const int64_t experts = megatron_number(m, MG_EXPERTS, 0);
    if (m->ep > 1 && experts == 0)
        megatron_cannot_run(m, MG_EP, "the model has no experts; remove this argument");
    else if (experts % m->ep != 0)
        megatron_cannot_run(m, MG_EP, "%lld does not divide the %lld experts", (long long)m->ep,
                            (long long)experts);
    if (experts > 0 && m->dp * m->cp * m->tp % (m->ep * m->etp) != 0)
        megatron_cannot_run(m, MG_EP,
                            "the %lld devices of a pipeline stage are not a multiple of "
                            "expert x expert tensor ranks = %lld x %lld",
                            (long long)(m->dp * m->cp * m->tp), (long long)m->ep,
                            (long long)m->etp);
}

static bool check_expert_tensor(const struct megatron *m)
{
    return m->etp == 1 || m->etp == m->tp ||
           megatron_fail(m, MG_ETP, "expected 1, or --tensor-model-parallel-size, %lld",
                         (long long)m->tp);
}

static bool read_shards(struct megatron *m)
{
    const int64_t instances = megatron_number(m, MG_INSTANCES, 1);
    if (m->dp == 0 || (!megatron_has(m, MG_SHARDED) && !megatron_has(m, MG_FSDP)))
        return true;
    if (m->dp * m->cp % instances != 0) {
        megatron_cannot_run(m, MG_INSTANCES, "%lld does not divide the %lld replicas",
                            (long long)instances, (long long)(m->dp * m->cp));
        return true;
    }
    return put_degree(m, "op", m->dp * m->cp / instances,
                      megatron_has(m, MG_INSTANCES) ? MG_INSTANCES : MG_SHARDED);
}

static bool put_degrees(struct megatron *m)
{
    const bool sp = megatron_has(m, MG_SP) && m->tp > 1;
    return (m->dp == 0 || put_degree(m, "dp", m->dp, MG_NODES)) &&
           put_degree(m, "tp", m->tp, MG_TP) && put_degree(m, "pp", m->pp, MG_PP) &&
           put_degree(m, "cp", m->cp, MG_CP) && put_degree(m, "ep", m->ep, MG_EP) &&
           (!megatron_has(m, MG_MBS) ||
            put_degree(m, "mbs", m->values[MG_MBS].number, MG_MBS)) &&
           framework_put_bool(m->r, FRAMEWORK_BASELINE, "sp", sp, megatron_at(m, MG_SP));
}

bool megatron_read_degrees(struct megatron *m)
{
    m->tp = megatron_number(m, MG_TP, 1);
    m->pp = megatron_number(m, MG_PP, 1);
    m->cp = megatron_number(m, MG_CP, 1);
    m->ep = megatron_number(m, MG_EP, 1);
    m->etp = megatron_has(m, MG_EXPERTS_WHOLE) ? 1 : megatron_number(m, MG_ETP, m->tp);
    if (m->pp > MEGATRON_MOST_CHUNKS || m->tp > 1 << 20 || m->cp > 1 << 20 || m->ep > 1 << 20)
        return megatron_fail(m, MG_PP, "a degree of parallelism is too large");
    check_devices(m);
    check_experts(m);
    return read_cluster(m) && check_expert_tensor(m) && put_degrees(m) && read_shards(m);
}
