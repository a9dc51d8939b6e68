// SPDX-License-Identifier: Apache-2.0
// Trees written in the plain forms that plaindoc reads.
#ifndef PPS_DOCWRITE_H
#define PPS_DOCWRITE_H

#include "plaindoc.h"

struct cJSON;
struct textroom;

// Adds an object, as plaindoc_parse would read it again, to the room. `room->failed` tells that
// memory ran out, for good.
//   flat  maps below become dotted keys, and an empty one is left out; maps in lists stay maps
//   YAML  maps by indentation, lists in brackets
//   TOML  values first, then a [section] a map; null, which it does not have, is left out of maps,
//         and is text in lists
// Keys of flat documents must have no blanks, quotes, brackets, commas, colons, = and #; others are
// left out. Numbers have the fewest digits that read back as the same.
void docwrite(struct textroom *room, enum plaindoc_form form, const struct cJSON *object);

#endif
