// SPDX-License-Identifier: Apache-2.0
// Models: read from text or documents, or drawn at random.
#pragma once

#include "kernels/common/description/hardware.h"
#include "kernels/common/description/model.h"
#include "kernels/common/description/training.h"
#include "tests/unit/support/random.h"

#include <cjson/cJSON.h>

// Reads a valid model document.
struct modeldesc model_read(const cJSON *document);

// Reads a valid model document from text; ' stands for ".
struct modeldesc model_of(const char *text);

// Returns the parameters of tables that tokens only look up: published numbers of active parameters
// often count them.
int64_t looked_up(const struct modeldesc *model);

// Returns a cluster of 8 devices with 80 GiB each.
struct cluster cluster_of(const char *hardware);

struct modeldesc random_model(struct random *r);

// Returns a model with a table of kinds of layers in any order.
struct modeldesc random_hybrid(struct random *r);

struct training random_training(struct random *r);
