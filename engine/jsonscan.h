// SPDX-License-Identifier: Apache-2.0
// The strict scan of a JSON document: refuses what RFC 8259 does not allow (and some of what it
// allows, see jsonfile.h), blanks comments, and records where every value stands. Private to
// jsonfile.
#ifndef PPS_JSONSCAN_H
#define PPS_JSONSCAN_H

#include "jsonfile.h"

// Reads json->text and fills json->places in document order, their items still NULL. Comments
// become spaces in place, so that all offsets hold.
PPS_MUST_CHECK enum pps_status pps_json_scan(struct pps_json *json, struct pps_error *err);

#endif
