// SPDX-License-Identifier: Apache-2.0
// How far two names are apart, so that a reader of documents can name the key that was meant.
#ifndef PPS_NEARNAME_H
#define PPS_NEARNAME_H

// Letters to change, add, leave out or swap with their neighbour to make one of the other; case
// and '-' against '_' count nothing. Names of more than NEARNAME_LONGEST bytes are far from all.
int nearname_distance(const char *a, const char *b);

// Greatest distance of a word to a name it may have been meant for: a third of its letters, at
// least 1.
int nearname_limit(const char *word);

enum { NEARNAME_LONGEST = 48, NEARNAME_FAR = 1000 };

#endif
