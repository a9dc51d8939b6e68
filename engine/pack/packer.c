// SPDX-License-Identifier: Apache-2.0
// Packs blocks with a codec or as row groups.
#include "engine/pack/packer.h"

#include "base/columns/parquet_write.h"
#include "engine/experiment/column_types.h"

#include <stdlib.h>

struct pps_packer {
    struct pps_codec *codec;     // NULL: parquet
    struct pps_parquet *parquet; // or NULL
    struct pps_schema schema;    // of parquet
    struct text_buffer groups;
    unsigned char *data; // of the codec
    size_t data_cap;
};

static enum pps_status open_parquet(struct pps_packer *packer, struct pps_codec_choice codec,
                                    const struct pps_experiment *experiment,
                                    struct pps_error *err)
{
    enum pps_status status = pps_experiment_schema(experiment, &packer->schema, err);
    return status == PPS_OK
               ? pps_parquet_open(&packer->parquet, &packer->schema, codec.level, err)
               : status;
}

enum pps_status pps_packer_open(struct pps_packer **packer, struct pps_codec_choice codec,
                                const struct pps_experiment *experiment, struct pps_error *err)
{
    *packer = NULL;
    struct pps_packer *p = calloc(1, sizeof *p);
    if (p == NULL)
        return pps_fail_memory(err, "a compressor");
    enum pps_status status = codec.kind == PPS_CODEC_PARQUET
                                 ? open_parquet(p, codec, experiment, err)
                                 : pps_codec_open(&p->codec, codec, err);
    if (status == PPS_OK)
        *packer = p;
    else
        pps_packer_close(p);
    return status;
}

void pps_packer_close(struct pps_packer *packer)
{
    if (packer == NULL)
        return;
    pps_codec_close(packer->codec);
    pps_parquet_close(packer->parquet);
    pps_schema_free(&packer->schema);
    text_buffer_free(&packer->groups);
    free(packer->data);
    free(packer);
}

static bool make_room(struct pps_packer *packer, size_t n)
{
    if (n > packer->data_cap) {
        free(packer->data);
        packer->data = malloc(n);
        packer->data_cap = packer->data != NULL ? n : 0;
    }
    return n <= packer->data_cap;
}

static enum pps_status compress(struct pps_packer *packer, const char *text, size_t n,
                                size_t *n_data, struct pps_error *err)
{
    if (!make_room(packer, pps_codec_bound(packer->codec, n) + 1))
        return pps_fail_memory(err, "a compressed block");
    *n_data = pps_codec_block(packer->codec, text, n, packer->data, packer->data_cap);
    if (*n_data == 0 && n > 0)
        return pps_fail(err, PPS_E_MACHINE, "a block could not be compressed");
    return PPS_OK;
}

enum pps_status pps_packer_pack(struct pps_packer *packer, const char *text, size_t n,
                                const void **data, size_t *n_data, struct pps_error *err)
{
    if (packer->codec != NULL) {
        const enum pps_status status = compress(packer, text, n, n_data, err);
        *data = packer->data;
        return status;
    }
    text_buffer_clear(&packer->groups);
    enum pps_status status =
        pps_parquet_block(packer->parquet, text, n, 1, &packer->groups, err);
    *data = packer->groups.text;
    *n_data = packer->groups.n;
    return status;
}
