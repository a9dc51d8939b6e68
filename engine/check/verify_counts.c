// SPDX-License-Identifier: Apache-2.0
// Sums the records of an index, and compares the manifest with the sums.
#include "engine/check/verify_counts.h"

#include "base/document/json.h"
#include "base/system/codec.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

void pps_index_add(struct pps_index_sums *sums, const struct pps_index_entry *entry)
{
    const struct pps_index_record *record = &entry->record;
    sums->crc = (uint32_t)crc32_combine(sums->crc, (uint32_t)record->text_crc,
                                        (z_off_t)record->text_bytes);
    sums->all_text_bytes += record->text_bytes;
    sums->data_end = record->offset + record->data_bytes;
    if (entry->is_header)
        return;
    sums->blocks++;
    sums->points += entry->n_points;
    sums->text_bytes += record->text_bytes;
    const struct pps_counts counts = pps_index_record_counts(record, entry->left_out);
    pps_counts_add(&sums->counts, &counts);
}

static enum pps_status contradicts(const struct pps_manifest_facts *said,
                                   const char *name,
                                   double is_said,
                                   double is,
                                   struct pps_error *err)
{
    return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                       "%s is %.17g, but %.17g in the index", name, is_said, is);
}

// Compares the shard numbers, if the manifest has them.
static enum pps_status fit_shard(const struct pps_manifest_facts *said,
                                 const struct pps_index_head *head,
                                 struct pps_error *err)
{
    const cJSON *shard = pps_json_member(said->root, "shard");
    const cJSON *index = pps_json_member(shard, "index"), *of = pps_json_member(shard, "of");
    if (shard == NULL)
        return PPS_OK;
    if (!cJSON_IsNumber(index) || !cJSON_IsNumber(of))
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "does not contain its shard number");
    if (index->valuedouble != head->shard)
        return contradicts(said, "shard", index->valuedouble, head->shard, err);
    if (of->valuedouble != head->n_shards)
        return contradicts(said, "the number of shards", of->valuedouble, head->n_shards, err);
    return PPS_OK;
}

enum pps_status pps_manifest_facts_fits_head(const struct pps_manifest_facts *said,
                                             const struct pps_index_head *head,
                                             struct pps_error *err)
{
    const struct pps_codec_choice codec = {(enum pps_codec_kind)head->codec_kind,
                                           (int)head->codec_level};
    char name[16];
    pps_codec_name(codec, name, sizeof name);
    if (head->digest != said->digest)
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "belongs to the experiment %016" PRIx64
                           ", but the index to %016" PRIx64,
                           said->digest, head->digest);
    if (strcmp(name, said->codec) != 0)
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "codec is %.40s, but %s in the index", said->codec, name);
    if (said->block_points != (double)head->block_points)
        return contradicts(said, "block_points", said->block_points, (double)head->block_points,
                           err);
    return fit_shard(said, head, err);
}

static enum pps_status fit_left_out(const struct pps_manifest_facts *said,
                                    const struct pps_index_sums *sums,
                                    const struct pps_experiment *experiment,
                                    struct pps_error *err)
{
    int i = 0;
    const char *reason;
    double n;
    for (int r = 0; r < PPS_MAX_REASONS; r++) {
        if (sums->counts.left_out[r].n == 0)
            continue;
        if (!pps_manifest_facts_left_out(said, i++, &reason, &n) ||
            n != (double)sums->counts.left_out[r].n ||
            (experiment != NULL && strcmp(reason, experiment->space.reasons[r]) != 0))
            return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                               "its skipped points do not match the index (reason %d)", r + 1);
    }
    if (pps_manifest_facts_left_out(said, i, &reason, &n))
        return pps_fail_at(err, PPS_E_WRONG, said->name, 0, 0,
                           "skips points that the index does not skip");
    return PPS_OK;
}

enum pps_status pps_manifest_facts_fits_sums(const struct pps_manifest_facts *said,
                                             const struct pps_index_sums *sums,
                                             const struct pps_experiment *experiment,
                                             struct pps_error *err)
{
    const struct {
        const char *name;
        double said;
        uint64_t is;
    } counts[] = {
        {"points", said->points, sums->points},
        {"rows", said->rows, sums->counts.rows},
        {"failed", said->failed, sums->counts.failed},
        {"infeasible", said->infeasible, sums->counts.infeasible},
        {"text_bytes", said->text_bytes, sums->text_bytes},
        {"data_bytes", said->data_bytes, sums->data_end},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].said != (double)counts[i].is)
            return contradicts(said, counts[i].name, counts[i].said, (double)counts[i].is, err);
    return fit_left_out(said, sums, experiment, err);
}
