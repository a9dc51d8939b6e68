// SPDX-License-Identifier: Apache-2.0
// The strict scan of a JSON document. Refuses everything that RFC 8259 forbids and some things
// that it allows (see json.h), blanks comments, and records the place of every value.
// Private to jsonfile.
#ifndef PPS_JSONSCAN_H
#define PPS_JSONSCAN_H

#include "base/document/json.h"

// Reads json->text and fills json->places in document order; their items remain NULL. Comments
// are overwritten with spaces, so all offsets stay valid.
PPS_MUST_CHECK enum pps_status pps_json_scan(struct pps_json *json, struct pps_error *err);

#endif
