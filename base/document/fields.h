// SPDX-License-Identifier: Apache-2.0
// Reads flat objects of a document by a table of fields: keys, their aliases, the values they
// accept, and the offset of each value in a record.
#pragma once

#include "base/document/fault.h"

#include <stddef.h>
#include <stdint.h>

enum docfield_kind {
    DOCFIELD_WHOLE, // int64_t, min ... max
    DOCFIELD_REAL,  // double, min ... max
    DOCFIELD_ABOVE, // double, above min, at most max
    DOCFIELD_FLAG,  // bool; true, false, 1 or 0
    DOCFIELD_GIB, // double, bytes: a number of GiB, or text as in "55GB" with the same meaning
    DOCFIELD_OWN, // the caller reads the value
};

struct docfield {
    const char *key;
    enum docfield_kind kind;
    double min, max;
    size_t offset; // in the record
};

struct docalias {
    const char *alias, *key;
};

struct docfields {
    const char *what; // "a model": what the object describes
    const struct docfield *fields;
    int n_fields; // at most DOCFIELDS_MAX
    const struct docalias *aliases;
    int n_aliases;
};

enum { DOCFIELDS_MAX = 96 };

struct cJSON;

// The values of a document by field; NULL: the document has no value there, or null.
struct docitems {
    const struct cJSON *item[DOCFIELDS_MAX];
};

// Returns the number of the field with this name or alias; -1: none.
int docfields_index(const struct docfields *table, const char *name);

// Finds the fields in an object. An unknown key is refused and the nearest known key suggested;
// if lenient, the key is ignored. A field given under two names must have equal values.
bool docfields_find(const struct docfields *table, const struct cJSON *object, bool lenient,
                    struct docitems *items, struct pps_fault *fault);

// Fills the fault for a key that none of n tables has, as docfields_find does; what: as in
// docfields.what. Returns false.
bool docfields_unknown(const struct docfields *const *tables, int n, const char *what,
                       const struct cJSON *item, struct pps_fault *fault);

// Checks the values of all fields that were found and stores them in the record.
bool docfields_store(const struct docfields *table, const struct docitems *items, void *record,
                     struct pps_fault *fault);

// Adds the fields of a record whose values differ from those of `base` (NULL: all fields) to an
// object, as docfields_store reads them; fields of kind DOCFIELD_OWN are left to the caller. Returns
// false when out of memory.
bool docfields_add(const struct docfields *table, const void *record, const void *base,
                   struct cJSON *object);

// Returns the key of an item for the text of a fault; "value" if the item has no key.
const char *docfields_name(const struct cJSON *item);
