// SPDX-License-Identifier: Apache-2.0
// Loads documents for tests, from text and from files of the source tree.
#pragma once

#include <criterion/criterion.h>
#include <stdio.h>

#include "base/document/json.h"

// Parses a document from text in which ' stands for ", for readable C strings. The caller frees
// it with pps_json_free.
struct pps_json document_of(const char *text);

// Loads a document from a path in the source tree. The caller frees it with pps_json_free.
struct pps_json document_in(const char *path);
