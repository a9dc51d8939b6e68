// SPDX-License-Identifier: Apache-2.0
// A packer turns the text of rows into the data of a block: compressed text, or a row group of
// Parquet. Each worker has its own.
#pragma once

#include "base/system/codec.h"
#include "engine/experiment/experiment.h"

#include <stddef.h>

struct pps_packer;

// Opens a packer for the rows of an experiment, which must outlive it. After an error there is
// nothing to close.
PPS_MUST_CHECK enum pps_status pps_packer_open(struct pps_packer **packer,
                                               struct pps_codec_choice codec,
                                               const struct pps_experiment *experiment,
                                               struct pps_error *err);
void pps_packer_close(struct pps_packer *packer); // NULL is fine

// Packs the n bytes of a block. *data has *n_data bytes (none for no text), valid until the next
// call. They depend on the text, the codec and the columns only.
PPS_MUST_CHECK enum pps_status pps_packer_pack(struct pps_packer *packer, const char *text,
                                               size_t n, const void **data, size_t *n_data,
                                               struct pps_error *err);
