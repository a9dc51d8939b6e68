// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/support/engine/results.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void add_block(struct pps_totals *totals, const struct pps_block *block, uint64_t points)
{
    totals->points += points;
    totals->text_bytes += block->text_bytes;
    pps_counts_add(&totals->counts, &block->counts);
}

static void append_block(const struct result_plan *plan, struct pps_output *output,
                         struct pps_codec *codec, const struct pps_rows *rows,
                         struct pps_block *block)
{
    struct pps_error err = {.text = ""};
    char *text = malloc(2 * rows->n + 256);
    size_t n = rows->n;
    memcpy(text, rows->text, n);
    if (plan->spoil != NULL)
        plan->spoil(block->index, text, &n, &block->counts);
    const size_t cap = pps_codec_bound(codec, n) + 1;
    unsigned char *data = malloc(cap);
    pps_block_set_text(block, text, n);
    block->data = data;
    block->data_bytes = pps_codec_block(codec, text, n, data, cap);
    cr_assert_eq(pps_output_append(output, block, &err), PPS_OK, "%s", err.text);
    free(data);
    free(text);
}

void write_result(const struct result_plan *plan)
{
    static const atomic_bool never;
    struct pps_error err = {.text = ""};
    struct pps_experiment *e = load_good(plan->experiment);
    struct pps_kernel kernel = *e->kernel;
    struct pps_totals totals = {.points = 0};
    struct pps_output *output;
    struct pps_codec *codec;
    struct pps_rowmaker *maker;
    char *header = pps_experiment_header(e);
    struct pps_output_plan out = {.path = plan->path,
                                  .header = header,
                                  .digest = e->digest,
                                  .n_points = e->n_points,
                                  .block_points = plan->block_points,
                                  .n_reasons = e->space.n_reasons,
                                  .shard = plan->shard,
                                  .n_shards = plan->n_shards,
                                  .force = true};
    const uint64_t step = plan->n_shards == 0 ? 1 : plan->n_shards;
    const char *codec_name = plan->codec == NULL ? "zlib:1" : plan->codec;
    cr_assert_eq(pps_codec_parse(codec_name, &out.codec, &err), PPS_OK);
    cr_assert_eq(pps_output_open(&output, &out, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_codec_open(&codec, out.codec, &err), PPS_OK);
    cr_assert_eq(pps_rowmaker_open(&maker, &(struct pps_row_settings){.experiment = e}, &err),
                 PPS_OK);
    for (uint64_t k = plan->shard; k * plan->block_points < e->n_points; k += step) {
        const uint64_t first = k * plan->block_points, left = e->n_points - first;
        const uint64_t n = left < plan->block_points ? left : plan->block_points;
        struct pps_rows rows;
        cr_assert_eq(pps_rowmaker_make(maker, first, n, &never, &rows, &err), PPS_OK);
        struct pps_block block = {.index = k, .counts = rows.counts};
        append_block(plan, output, codec, &rows, &block);
        add_block(&totals, &block, n);
    }
    if (plan->kernel_version != NULL)
        kernel.version = plan->kernel_version;
    e->kernel = &kernel;
    const struct pps_sweep sweep = {.experiment = e};
    const struct pps_manifest manifest = {.experiment = e,
                                          .sweep = &sweep,
                                          .totals = &totals,
                                          .codec = out.codec,
                                          .block_points = plan->block_points,
                                          .data_bytes = pps_output_bytes(output),
                                          .threads = 1,
                                          .version = TEST_VERSION,
                                          .command = "a test"};
    char *text = pps_manifest_print(pps_manifest_tree(&manifest));
    cr_assert_eq(pps_output_finish(output, text, &err), PPS_OK, "%s", err.text);
    free(text);
    free(header);
    pps_rowmaker_close(maker);
    pps_codec_close(codec);
    pps_experiment_free(e);
}
