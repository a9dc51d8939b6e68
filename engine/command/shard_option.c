// SPDX-License-Identifier: Apache-2.0
// Reads --shard from its argument or from environment variables of launchers.
#include "engine/command/shard_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Rank and number of ranks of a launcher; the number is 0 if it is unknown.
struct rank {
    uint64_t rank, count;
    const char *variable; // environment variable of the rank
};

// Reads a whole number; returns false for other texts.
static bool read_whole(const char *text, size_t n, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9' || *value > UINT32_MAX)
            return false;
        *value = *value * 10 + (uint64_t)(text[i] - '0');
    }
    return n > 0;
}

static bool read_variable(const char *name, uint64_t *value)
{
    const char *text = getenv(name);
    return text != NULL && read_whole(text, strlen(text), value);
}

// ---- variables of launchers -------------------------------------------------------------------

// A batch script has these variables, too, but its commands are not started by srun: only job
// steps have a step number. Outside of jobs, the variables are used without this check.
static bool in_step(void)
{
    return getenv("SLURM_JOB_ID") == NULL || getenv("SLURM_STEP_ID") != NULL ||
           getenv("SLURM_STEPID") != NULL || getenv("SLURM_STEP_NUM_TASKS") != NULL;
}

static bool slurm_step(struct rank *out)
{
    out->variable = "SLURM_PROCID";
    return read_variable("SLURM_PROCID", &out->rank) && in_step() &&
           (read_variable("SLURM_STEP_NUM_TASKS", &out->count) ||
            read_variable("SLURM_NTASKS", &out->count));
}

static bool open_mpi(struct rank *out)
{
    out->variable = "OMPI_COMM_WORLD_RANK";
    return read_variable(out->variable, &out->rank) &&
           read_variable("OMPI_COMM_WORLD_SIZE", &out->count);
}

static bool pmi(struct rank *out)
{
    out->variable = "PMI_RANK";
    return read_variable(out->variable, &out->rank) && read_variable("PMI_SIZE", &out->count);
}

static bool pmix(struct rank *out)
{
    out->variable = "PMIX_RANK";
    out->count = 0;
    if (!read_variable(out->variable, &out->rank))
        return false;
    (void)(read_variable("PMIX_SIZE", &out->count) ||
           read_variable("OMPI_COMM_WORLD_SIZE", &out->count) ||
           read_variable("SLURM_STEP_NUM_TASKS", &out->count));
    return true;
}

// Finds the first launcher that started more than one process.
static bool find_launcher(struct rank *out)
{
    static bool (*const launchers[])(struct rank *) = {slurm_step, open_mpi, pmi, pmix};
    bool any = false;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        struct rank found = {0, 0, ""};
        if (!launchers[i](&found) || (any && found.count <= 1))
            continue;
        *out = found;
        any = true;
        if (found.count > 1)
            break;
    }
    return any;
}

// The index of a task in a Slurm job array, or of a pod in an Indexed Job of Kubernetes.
static bool find_array(struct rank *out)
{
    out->variable = "SLURM_ARRAY_TASK_ID";
    if (read_variable(out->variable, &out->rank))
        return true;
    out->variable = "JOB_COMPLETION_INDEX";
    return read_variable(out->variable, &out->rank);
}

// Uses the size of a job array only if the array is 0 ... N-1: a part of an array that was
// submitted again is not the whole array.
static enum pps_status count_array(struct rank *array, struct pps_error *err)
{
    uint64_t count = 0, min = 1, max = 0, step = 1;
    if (strcmp(array->variable, "JOB_COMPLETION_INDEX") == 0)
        return pps_fail(
            err, PPS_E_INPUT,
            "--shard auto: Kubernetes tells a pod its index, but not the number of "
            "completions; write --shard auto/N, N as in the key completions of the job");
    const bool known = read_variable("SLURM_ARRAY_TASK_COUNT", &count) &&
                       read_variable("SLURM_ARRAY_TASK_MIN", &min) &&
                       read_variable("SLURM_ARRAY_TASK_MAX", &max);
    (void)read_variable("SLURM_ARRAY_TASK_STEP", &step);
    array->count = count;
    if (known && min == 0 && count > 0 && max == count - 1 && step == 1)
        return PPS_OK;
    return pps_fail(err, PPS_E_INPUT,
                    "--shard auto: this job array is not 0-(N-1), so the number of shards is "
                    "unknown; write --shard auto/N");
}

// ---- auto -------------------------------------------------------------------------------------

static enum pps_status fail_none(struct pps_error *err)
{
    if (getenv("SLURM_JOB_ID") != NULL)
        return pps_fail(err, PPS_E_INPUT,
                        "--shard auto: this process was not started by srun and is not part of "
                        "a job array; start it with srun, or write --shard K/N");
    return pps_fail(err, PPS_E_INPUT,
                    "--shard auto: no launcher has set its variables (Slurm, Open MPI, MPICH, "
                    "Kubernetes); "
                    "write --shard K/N, K from 0 to N-1");
}

// n: the requested number of shards, or 0.
static enum pps_status choose_rank(uint64_t n, struct rank *rank, struct pps_error *err)
{
    struct rank array = {0, 0, ""};
    const bool in_array = find_array(&array), launched = find_launcher(rank);
    const bool fits = launched && (n == 0 ? rank->count > 1 || !in_array : rank->count == n);
    if (in_array && !fits) {
        *rank = array;
        return n == 0 ? count_array(rank, err) : PPS_OK;
    }
    if (!launched)
        return fail_none(err);
    if (n == 0 && rank->count == 0)
        return pps_fail(err, PPS_E_INPUT,
                        "--shard auto: %s is set, but the number of shards is unknown; write "
                        "--shard auto/N",
                        rank->variable);
    if (n != 0 && rank->count != 0 && rank->count != n)
        return pps_fail(err, PPS_E_INPUT,
                        "--shard auto/%llu: the launcher started %llu processes (%s), not %llu",
                        (unsigned long long)n, (unsigned long long)rank->count, rank->variable,
                        (unsigned long long)n);
    return PPS_OK;
}

static enum pps_status choose_auto(uint64_t n, struct pps_shard *shard,
                                   char source[PPS_SHARD_SOURCE], struct pps_error *err)
{
    struct rank rank = {0, 0, ""};
    enum pps_status status = choose_rank(n, &rank, err);
    if (status != PPS_OK)
        return status;
    const uint64_t count = n != 0 ? n : rank.count;
    if (rank.rank >= count || count > PPS_MAX_SHARDS)
        return pps_fail(err, PPS_E_INPUT,
                        "--shard auto: %s is %llu, but there are %llu shards, numbered from 0",
                        rank.variable, (unsigned long long)rank.rank,
                        (unsigned long long)count);
    *shard = (struct pps_shard){(uint32_t)rank.rank, (uint32_t)count};
    snprintf(source, PPS_SHARD_SOURCE, "%s", rank.variable);
    return PPS_OK;
}

// ---- the option -------------------------------------------------------------------------------

static enum pps_status fail_form(const char *text, struct pps_error *err)
{
    return pps_fail(err, PPS_E_INPUT,
                    "--shard %s: expected K/N with K from 0 to N-1 and N at most %d, as in "
                    "0/16, or auto or auto/16",
                    text, PPS_MAX_SHARDS);
}

enum pps_status pps_shard_choose(const struct pps_args *args, struct pps_shard *shard,
                                 char source[PPS_SHARD_SOURCE], struct pps_error *err)
{
    const char *text = pps_arg(args, "shard");
    uint64_t index = 0, count = 0;
    *shard = (struct pps_shard){0, 0};
    source[0] = '\0';
    if (text == NULL)
        return PPS_OK;
    if (strcmp(text, "auto") == 0)
        return choose_auto(0, shard, source, err);
    const char *slash = strchr(text, '/');
    if (slash == NULL || !read_whole(slash + 1, strlen(slash + 1), &count) || count == 0 ||
        count > PPS_MAX_SHARDS)
        return fail_form(text, err);
    const size_t n = (size_t)(slash - text);
    if (n == 4 && strncmp(text, "auto", n) == 0)
        return choose_auto(count, shard, source, err);
    if (!read_whole(text, n, &index) || index >= count)
        return fail_form(text, err);
    *shard = (struct pps_shard){(uint32_t)index, (uint32_t)count};
    return PPS_OK;
}
