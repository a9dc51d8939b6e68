// SPDX-License-Identifier: Apache-2.0
// Flat objects of a document, read by a table: which keys there are and by which other names,
// what values they take, and where in a record these go.
#ifndef PPS_DOCFIELDS_H
#define PPS_DOCFIELDS_H

#include "docfault.h"

#include <stddef.h>
#include <stdint.h>

enum docfield_kind {
    DOCFIELD_WHOLE, // int64_t, min ... max
    DOCFIELD_REAL,  // double, min ... max
    DOCFIELD_ABOVE, // double, above min, at most max
    DOCFIELD_FLAG,  // bool; true, false, 1 or 0
    DOCFIELD_GIB,   // double, bytes: a number of GiB or "55GB", which is the same
    DOCFIELD_OWN,   // whoever calls reads it
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

enum { DOCFIELDS_MAX = 64 };

struct cJSON;

// What a document says, by field; NULL where it says nothing or null.
struct docitems {
    const struct cJSON *item[DOCFIELDS_MAX];
};

// Number of the field that is called so, or has this alias; -1: none.
int docfields_index(const struct docfields *table, const char *name);

// Looks for the fields in an object. A key that there is not is refused with the nearest there
// is, unless lenient, when it is passed over. A field given under two names must have one value.
bool docfields_find(const struct docfields *table,
                    const struct cJSON *object,
                    bool lenient,
                    struct docitems *items,
                    struct docfault *fault);

// What docfields_find says of a key that none of n tables has; what: as docfields.what.
bool docfields_unknown(const struct docfields *const *tables,
                       int n,
                       const char *what,
                       const struct cJSON *item,
                       struct docfault *fault);

// Checks the values of all fields that were found, and puts them into the record.
bool docfields_store(const struct docfields *table,
                     const struct docitems *items,
                     void *record,
                     struct docfault *fault);

// The key an item stands under, for a fault's text; "value" where it has none.
const char *docfields_name(const struct cJSON *item);

#endif
