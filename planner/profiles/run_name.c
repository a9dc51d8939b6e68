// SPDX-License-Identifier: Apache-2.0
// Reads degrees and ranks from names.
#include "planner/profiles/run_name.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST = 1000000000 };

// ---- degrees ------------------------------------------------------------------------------------

static const struct {
    const char *key;
    size_t at;
} KEYS[] = {
    {"DP", offsetof(struct run_degrees, dp)},  {"TP", offsetof(struct run_degrees, tp)},
    {"PP", offsetof(struct run_degrees, pp)},  {"EP", offsetof(struct run_degrees, ep)},
    {"CP", offsetof(struct run_degrees, cp)},  {"OP", offsetof(struct run_degrees, op)},
    {"VP", offsetof(struct run_degrees, vp)},  {"FSDP", offsetof(struct run_degrees, op)},
    {"VPP", offsetof(struct run_degrees, vp)}, {"MBS", offsetof(struct run_degrees, mbs)},
};

static void read_part(const char *part, struct run_degrees *degrees)
{
    for (size_t k = 0; k < sizeof KEYS / sizeof KEYS[0]; k++) {
        const size_t n = strlen(KEYS[k].key);
        if (strncasecmp(part, KEYS[k].key, n) != 0)
            continue;
        const bool is_op = KEYS[k].at == offsetof(struct run_degrees, op);
        if (is_op && strncmp(part + n, "-1", 2) == 0)
            degrees->op = -1;
        if (!isdigit((unsigned char)part[n]))
            continue;
        const long value = strtol(part + n, NULL, 10);
        const int32_t number = value >= 1 && value <= MOST ? (int32_t)value : 0;
        memcpy((char *)degrees + KEYS[k].at, &number, sizeof number);
        return;
    }
}

bool run_degrees_read(const char *name, struct run_degrees *degrees)
{
    *degrees = (struct run_degrees){0};
    for (const char *part = name; *part != '\0';) {
        read_part(part, degrees);
        part += strcspn(part, "_-.");
        part += strspn(part, "_-.");
    }
    return degrees->dp > 0 && degrees->tp > 0 && degrees->pp > 0;
}

int64_t run_stage_ranks(const struct run_degrees *degrees)
{
    const int64_t cp = degrees->cp > 0 ? degrees->cp : 1, most = INT64_MAX / MOST;
    const int64_t ranks = (int64_t)degrees->dp * degrees->tp;
    return ranks > most ? most : ranks * cp;
}

int32_t run_stage_of(const struct run_degrees *degrees, int32_t rank)
{
    const int64_t ranks = run_stage_ranks(degrees);
    if (rank < 0 || ranks < 1 || rank / ranks >= degrees->pp)
        return -1;
    return (int32_t)(rank / ranks);
}

// ---- ranks --------------------------------------------------------------------------------------

// Reads the number behind a word at `at`, with one separator at most. -1: no number.
static int32_t number_behind(const char *at, const char *end)
{
    char *stop;
    at += at < end && strchr("_-.=", *at) != NULL;
    if (at >= end || !isdigit((unsigned char)*at))
        return -1;
    const long value = strtol(at, &stop, 10);
    return value <= MOST ? (int32_t)value : -1;
}

static int32_t rank_of_part(const char *part, const char *end)
{
    static const char *const words[] = {"rank", "worker", "device"};
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        const size_t n = strlen(words[w]);
        for (const char *at = part; at + n < end; at++) {
            const int32_t rank =
                strncasecmp(at, words[w], n) == 0 ? number_behind(at + n, end) : -1;
            if (rank >= 0)
                return rank;
        }
    }
    return -1;
}

// Returns the number of a folder such as attempt_0/3/stdout.log.
static int32_t rank_of_torchrun(const char *part, const char *end)
{
    if (strcmp(end, "/stdout.log") != 0 && strcmp(end, "/stderr.log") != 0)
        return -1;
    for (const char *at = part; at < end; at++)
        if (!isdigit((unsigned char)*at))
            return -1;
    return number_behind(part, end);
}

int32_t run_rank_of_path(const char *path)
{
    for (const char *end = path + strlen(path);;) {
        const char *part = end;
        while (part > path && part[-1] != '/')
            part--;
        int32_t rank = rank_of_part(part, end);
        if (rank < 0)
            rank = rank_of_torchrun(part, end);
        if (rank >= 0 || part == path)
            return rank;
        end = part - 1;
    }
}
