// SPDX-License-Identifier: Apache-2.0
// Experiments of the toy kernel in a folder with documents, for tests.
#pragma once

#include "tests/unit/support/engine/toy_kernel.h"

#include "tests/unit/support/files.h"

#include "engine/experiment/documents.h"
#include "engine/experiment/experiment.h"

#include <criterion/criterion.h>
#include <sys/stat.h>

void set_up(void);

// Everything opened is closed, in every case.
void tear_down(void);

enum pps_status load(struct pps_experiment **e, const char *path, const char *text,
                     const char *const *words, struct pps_error *err);

struct pps_experiment *good(const char *text, const char *const *words);

// Compares with FILE:LINE:COLUMN: TEXT, as main prints it; an unknown line or column is absent.
void is_refused(const char *path, const char *text, const char *const *words, const char *said);

void has_point(const struct pps_experiment *e, uint64_t index, int p, double value);

void has_header(const struct pps_experiment *e, const char *header);

const char *box_name(const struct pps_experiment *e, int i);

#define SMALL(rest_) "{\"kernel\": \"toy\", \"inputs\": {\"box\": \"small.json\"}" rest_ "}"
