// SPDX-License-Identifier: Apache-2.0
// Merging shards: any number of shards in any order gives the bytes of an unsharded run. Also
// the errors for shards that do not belong together.
#include "engine/check/merge.h"
#include "engine/store/output.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/rounds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "n,total_time\n"

enum { N_BLOCKS = 11, BLOCK_POINTS = 10, N_POINTS = 105, N_REASONS = 2 };

static atomic_bool never;

// ---- shards -----------------------------------------------------------------------------------

struct made {
    struct pps_codec_choice codec;
    uint64_t digest;
    const char *version;
    struct pps_shard shard;
    int more_reasons; // number of reasons beyond N_REASONS
};

static size_t block_text(uint64_t k, char *out)
{
    size_t n = 0;
    for (int row = 0; k != 4 && row < 30; row++)
        n += (size_t)sprintf(out + n, "%d,%d.%04d\n", (int)k, row, row * (int)k);
    return n;
}

static void append(struct pps_output *output, const struct made *made, uint64_t k)
{
    static char text[1 << 12];
    static unsigned char data[1 << 13];
    struct pps_codec *codec;
    struct pps_error err;
    struct pps_block block = {.index = k, .counts.rows = k == 4 ? 0 : 30, .data = data};
    cr_assert_eq(pps_codec_open(&codec, made->codec, &err), PPS_OK);
    const size_t n = block_text(k, text);
    pps_block_set_text(&block, text, n);
    block.data_bytes = pps_codec_block(codec, text, n, data, sizeof data);
    block.counts.left_out[1].n = k >= 5 ? k : 0;
    block.counts.failed = k >= 7 ? 1 : 0;
    pps_codec_close(codec);
    cr_assert_eq(pps_output_append(output, &block, &err), PPS_OK);
}

// Writes the manifest of a result whose first failed point and first skipped point are in these
// blocks.
static void manifest_text(const struct made *made, char *out, const uint64_t *sums,
                          uint64_t failed_block, uint64_t left_out_block)
{
    char *at = out;
    at += sprintf(at, "{\"ppsweep\": \"%s\", \"digest\": \"%llx\", \"one\": 1.0", made->version,
                  (unsigned long long)made->digest);
    if (made->shard.count > 0)
        at += sprintf(at, ", \"shard\": {\"index\": %u, \"of\": %u, \"points\": %d}",
                      made->shard.index, made->shard.count, N_POINTS);
    at += sprintf(at, ", \"points\": %d, \"rows\": %d, \"failed\": %d", (int)sums[0],
                  (int)sums[1], (int)sums[2]);
    if (sums[2] > 0)
        at += sprintf(at, ", \"failed_example\": {\"block\": %d}", (int)failed_block);
    at += sprintf(at, ", \"skipped\": [");
    if (sums[3] > 0)
        at += sprintf(at, "{\"reason\": \"why\", \"points\": %d, \"example\": {\"block\": %d}}",
                      (int)sums[3], (int)left_out_block);
    at += sprintf(at, "], \"text_bytes\": %d, \"data_bytes\": %d", (int)sums[4], (int)sums[5]);
    at +=
        sprintf(at,
                ", \"audit\": {\"fraction\": 0.5, \"rows\": %d, \"largest_difference\": 0.25, "
                "\"sensitive\": %d, \"tolerance\": 0.5}",
                (int)sums[1], (int)sums[6]);
    sprintf(at,
            ", \"threads\": 2, \"wall_s\": 1.5, \"cpu_s\": 2, "
            "\"command\": \"ppsweep -c e.json%s -q\"}",
            made->shard.count > 0 ? " --shard auto" : "");
}

static void make(const char *path, const struct made *made)
{
    const struct pps_blocks blocks = {N_POINTS, BLOCK_POINTS};
    const struct pps_output_plan plan = {.path = path,
                                         .codec = made->codec,
                                         .header = HEADER,
                                         .digest = made->digest,
                                         .n_points = N_POINTS,
                                         .block_points = BLOCK_POINTS,
                                         .n_reasons = N_REASONS + made->more_reasons,
                                         .shard = made->shard.index,
                                         .n_shards = made->shard.count};
    struct pps_output *output;
    struct pps_error err;
    char text[1 << 12], manifest[2048];
    uint64_t sums[7] = {0}, failed = 0, left_out = 0;
    cr_assert_eq(pps_output_open(&output, &plan, &err), PPS_OK, "%s", err.text);
    for (uint64_t i = 0; i < pps_shard_blocks(made->shard, blocks); i++) {
        const uint64_t k = pps_shard_block(made->shard, i);
        append(output, made, k);
        sums[0] += pps_blocks_points(blocks, k);
        sums[1] += k == 4 ? 0 : 30;
        failed = sums[2] == 0 ? k : failed;
        sums[2] += k >= 7;
        left_out = sums[3] == 0 ? k : left_out;
        sums[3] += k >= 5 ? k : 0;
        sums[4] += block_text(k, text);
        sums[6] += k % 4; // sensitive points of an audit
    }
    sums[5] = pps_output_bytes(output);
    manifest_text(made, manifest, sums, failed, left_out);
    cr_assert_eq(pps_output_finish(output, manifest, &err), PPS_OK, "%s", err.text);
}

static const struct made usual = {{PPS_CODEC_ZLIB, 1}, 0xd1, "1", {0, 0}, 0};

// s-K.csv.gz for all K.
static void make_shards(struct made made, uint32_t n, const char *ending)
{
    for (uint32_t k = 0; k < n; k++) {
        char path[64];
        snprintf(path, sizeof path, "s.shard-%u-of-%u%s", k, n, ending);
        made.shard = (struct pps_shard){k, n};
        make(path, &made);
    }
}

static char *shard_path(uint32_t k, uint32_t n, const char *ending)
{
    char *path = malloc(64);
    snprintf(path, 64, "s.shard-%u-of-%u%s", k, n, ending);
    return path;
}

// ---- merging ----------------------------------------------------------------------------------

static enum pps_status merge(const char *const *paths, size_t n, const char *out,
                             struct pps_error *err)
{
    struct pps_merge m = {.stop = &never};
    enum pps_status status = pps_merge_open(&m, paths, n, err);
    if (status != PPS_OK) {
        cr_assert(m.files == NULL && m.n == 0, "shards are still open");
        return status;
    }
    status = pps_merge_write(&m, out, false, err);
    if (status == PPS_OK)
        cr_assert(m.counts.failed > 0 && m.counts.failed < m.counts.rows, "%d rows failed",
                  (int)m.counts.failed);
    pps_merge_close(&m);
    return status;
}

static void is_refused(const char *const *paths, size_t n, const char *why)
{
    struct pps_error err = {.text = ""};
    const enum pps_status status = merge(paths, n, "refused.csv.gz", &err);
    char whole[5000];
    snprintf(whole, sizeof whole, "%s: %s", err.file, err.text);
    cr_assert_eq(status, PPS_E_INPUT, "'%s' was not refused", why);
    cr_assert(strstr(whole, why) != NULL, "'%s' lacks '%s'", whole, why);
    cr_assert(!is_there("refused.csv.gz") && !is_there("refused.csv.gz.part") &&
              !is_there("refused.csv.gz.idx.part"));
}

static void without_spaces(const char *path, char *out)
{
    size_t n;
    char *text = slurp(path, &n);
    for (size_t i = 0; i < n; i++)
        if (strchr(" \t\n", text[i]) == NULL)
            *out++ = text[i];
    *out = '\0';
    free(text);
}

// Compares two manifests up to their times.
static void same_manifests(const char *a, const char *b)
{
    char left[4096], right[4096];
    without_spaces(a, left);
    without_spaces(b, right);
    cr_assert(strstr(left, "\"wall_s\"") != NULL && strstr(right, "\"wall_s\"") != NULL);
    *strstr(left, "\"wall_s\"") = '\0';
    *strstr(right, "\"wall_s\"") = '\0';
    cr_assert_str_eq(left, right);
}

// Catches blocks in the order of the files, lost or repeated header lines, wrong sums (also of
// the sensitive points of an audit), and examples from the wrong shard.
Test(merge, same_bytes_from_any_shards, .init = enter, .fini = leave)
{
    static const uint32_t counts[] = {1, 2, 3, 7, 11, 12, 64}; // none a multiple of 5
    static const char *const endings[] = {".csv.gz", ".csv"};
    for (int e = 0; e < 2; e++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const uint32_t n = counts[c];
            struct made made = usual;
            char *paths[64], whole[32];
            struct pps_error err;
            made.codec.kind = e == 0 ? PPS_CODEC_ZLIB : PPS_CODEC_NONE;
            made.codec.level = e == 0;
            snprintf(whole, sizeof whole, "whole%s", endings[e]);
            make(whole, &made);
            make_shards(made, n, endings[e]);
            for (uint32_t k = 0; k < n; k++) // another order
                paths[k] = shard_path((k * 5 + 3) % n, n, endings[e]);
            cr_assert_eq(
                merge((const char *const *)paths, n, e == 0 ? "m.csv.gz" : "m.csv", &err),
                PPS_OK, "%u shards: %s", n, err.text);
            same_files(e == 0 ? "m.csv.gz" : "m.csv", whole);
            same_files(e == 0 ? "m.csv.gz.idx" : "m.csv.idx",
                       e == 0 ? "whole.csv.gz.idx" : "whole.csv.idx");
            same_manifests(e == 0 ? "m.csv.gz.json" : "m.csv.json",
                           e == 0 ? "whole.csv.gz.json" : "whole.csv.json");
            for (uint32_t k = 0; k < n; k++)
                free(paths[k]);
            cr_assert_eq(system("rm -f *"), 0);
        }
}

// Catches missing shards that are ignored, and a command that does not compute them.
Test(merge, gaps_and_overlaps, .init = enter, .fini = leave)
{
    make_shards(usual, 9, ".csv.gz");
    const char *two[] = {"s.shard-8-of-9.csv.gz", "s.shard-1-of-9.csv.gz"};
    const char *twice[] = {"s.shard-8-of-9.csv.gz", "copy.csv.gz"};
    const char *all_but_one[] = {"s.shard-0-of-9.csv.gz", "s.shard-1-of-9.csv.gz",
                                 "s.shard-2-of-9.csv.gz", "s.shard-3-of-9.csv.gz",
                                 "s.shard-4-of-9.csv.gz", "s.shard-5-of-9.csv.gz",
                                 "s.shard-6-of-9.csv.gz", "s.shard-7-of-9.csv.gz"};
    cr_assert_eq(system("for e in '' .idx .json; do "
                        "cp s.shard-8-of-9.csv.gz$e copy.csv.gz$e; done"),
                 0);
    is_refused(two, 2,
               "shards 0, 2, 3, 4, 5 and 2 others of 9 are missing; to compute the first of "
               "them: ppsweep -c e.json --shard 0/9 -q");
    is_refused(all_but_one, 8,
               "shard 8 of 9 is missing; to compute it: ppsweep -c e.json --shard 8/9 -q");
    is_refused(twice, 2, "s.shard-8-of-9.csv.gz and copy.csv.gz are both shard 8 of 9");
    cr_assert_eq(rename("s.shard-8-of-9.csv.gz", "s.shard-8-of-9.csv.gz.part"), 0);
    is_refused(all_but_one, 8, "--shard 8/9 -q --resume");
}

// Catches merged results that do not belong together.
Test(merge, mixtures, .init = enter, .fini = leave)
{
    const char *pair[] = {"s.shard-0-of-2.csv.gz", "other.csv.gz"};
    struct made other = usual;
    make_shards(usual, 2, ".csv.gz");
    other.shard = (struct pps_shard){1, 2};
    other.digest = 0xd2;
    make("other.csv.gz", &other);
    is_refused(pair, 2, "are not from the same sweep");
    cr_assert_eq(system("rm other*"), 0);
    other.digest = usual.digest;
    other.version = "2";
    make("other.csv.gz", &other);
    is_refused(pair, 2, "ppsweep was \"1\", is \"2\"");
    cr_assert_eq(system("rm other*"), 0);
    other.version = usual.version;
    other.codec.level = 6;
    make("other.csv.gz", &other);
    is_refused(pair, 2, "are not from the same sweep");
    cr_assert_eq(system("rm other*"), 0);
    other.codec.level = 1;
    other.more_reasons = 1;
    make("other.csv.gz", &other);
    is_refused(pair, 2, "their indexes count 2 and 3 reasons to skip points");
    cr_assert_eq(system("rm other*"), 0);
    other.more_reasons = 0;
    other.shard = (struct pps_shard){1, 3};
    make("other.csv.gz", &other);
    is_refused(pair, 2, "is shard 0 of 2, but other.csv.gz is shard 1 of 3");
}

// Catches flipped bytes of data or index that are not detected, and errors with the wrong
// place.
Test(merge, damage, .init = enter, .fini = leave)
{
    static const char *const files[] = {"s.shard-1-of-2.csv.gz", "s.shard-1-of-2.csv.gz.idx"};
    const char *pair[] = {"s.shard-0-of-2.csv.gz", "s.shard-1-of-2.csv.gz"};
    make_shards(usual, 2, ".csv.gz");
    for (int f = 0; f < 2; f++) {
        size_t n;
        char *bytes = slurp(files[f], &n);
        const size_t step = n / (size_t)n_cases((int)n); // some of the bytes under sanitizers
        for (size_t i = 0; i < n; i += step) {
            bytes[i] ^= 4;
            spill_bytes(files[f], bytes, n);
            bytes[i] ^= 4;
            is_refused(pair, 2, "s.shard-1-of-2.csv.gz");
        }
        spill_bytes(files[f], bytes, n - 1);
        is_refused(pair, 2, "damaged");
        bytes[n] = '\0';
        spill_bytes(files[f], bytes, n + 1);
        is_refused(pair, 2, "damaged");
        spill_bytes(files[f], bytes, n);
        free(bytes);
    }
    size_t n;
    char *bytes = slurp(files[0], &n);
    bytes[n / 2] ^= 1;
    spill_bytes(files[0], bytes, n);
    is_refused(pair, 2, "s.shard-1-of-2.csv.gz: is damaged: block 5 (bytes ");
    free(bytes);
}

// Catches a missing file that is not reported.
Test(merge, missing_files, .init = enter, .fini = leave)
{
    const char *pair[] = {"s.shard-0-of-2.csv.gz", "s.shard-1-of-2.csv.gz"};
    make_shards(usual, 2, ".csv.gz");
    cr_assert_eq(rename("s.shard-1-of-2.csv.gz.idx", "idx"), 0);
    is_refused(pair, 2, "s.shard-1-of-2.csv.gz.idx is missing");
    cr_assert_eq(rename("idx", "s.shard-1-of-2.csv.gz.idx"), 0);
    cr_assert_eq(rename("s.shard-1-of-2.csv.gz.json", "json"), 0);
    is_refused(pair, 2, "s.shard-1-of-2.csv.gz.json is missing");
    cr_assert_eq(rename("s.shard-1-of-2.csv.gz", "s.shard-1-of-2.csv.gz.part"), 0);
    is_refused(pair, 2, "s.shard-1-of-2.csv.gz is not complete");
    spill("s.shard-1-of-2.csv.gz.json.part", "{\"command\": \"ppsweep -c e.json\"}");
    is_refused(pair, 2, "to continue it: ppsweep -c e.json --resume");
    const char *part[] = {"s.shard-1-of-2.csv.gz.part"};
    is_refused(part, 1, "s.shard-1-of-2.csv.gz is not complete; to continue it");
}

// Catches an interrupted merge that cannot be continued.
Test(merge, interrupted, .init = enter, .fini = leave)
{
    const char *pair[] = {"s.shard-0-of-2.csv.gz", "s.shard-1-of-2.csv.gz"};
    atomic_bool stop = true;
    struct pps_merge m = {.stop = &stop};
    struct pps_error err;
    make("whole.csv.gz", &usual);
    make_shards(usual, 2, ".csv.gz");
    cr_assert_eq(pps_merge_open(&m, pair, 2, &err), PPS_OK);
    cr_assert_eq(pps_merge_write(&m, "m.csv.gz", false, &err), PPS_E_STOPPED);
    pps_merge_close(&m);
    cr_assert(is_there("m.csv.gz.part") && !is_there("m.csv.gz"));
    cr_assert_eq(merge(pair, 2, "m.csv.gz", &err), PPS_OK, "%s", err.text);
    same_files("m.csv.gz", "whole.csv.gz");
    same_manifests("m.csv.gz.json", "whole.csv.gz.json");
    cr_assert_eq(merge(pair, 2, "m.csv.gz", &err), PPS_E_INPUT);
    cr_assert(strstr(err.text, "m.csv.gz exists; --force replaces it") != NULL, "%s", err.text);
}
