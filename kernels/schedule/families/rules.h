// SPDX-License-Identifier: Apache-2.0
// Lists the families that follow a closed rule.
#pragma once

#include "kernels/schedule/families/family.h"

// One stage per device.
extern const struct family family_gpipe;
extern const struct family family_one_f_one_b;
extern const struct family family_eager_1f1b;
extern const struct family family_zb_h1;
extern const struct family family_zb_h2;
extern const struct family family_seq_1f1b; // slices of micro-batches

// Several chunks per device.
extern const struct family family_interleaved;
extern const struct family family_interleaved_group;
extern const struct family family_bfs_loop;
extern const struct family family_wave;
extern const struct family family_dualpipev;

// As classes of torch.distributed.pipelining.
extern const struct family family_pytorch_bfs;
extern const struct family family_pytorch_zb;
extern const struct family family_pytorch_zbv;

// Two directions.
extern const struct family family_dualpipe;
extern const struct family family_chimera;
