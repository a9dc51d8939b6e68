// SPDX-License-Identifier: Apache-2.0
// Measures the edit distance of two names, so that a reader of documents can suggest the key that
// was meant.
#ifndef PPS_NEARNAME_H
#define PPS_NEARNAME_H

// Returns the number of letters to change, insert, delete or swap with their neighbour to turn one
// name into the other. Case is ignored, '-' equals '_'. A name of more than NEARNAME_LONGEST bytes
// is NEARNAME_FAR from every other name.
int nearname_distance(const char *a, const char *b);

// Returns the greatest distance at which a name is suggested for the word: a third of its letters,
// at least 1.
int nearname_limit(const char *word);

enum { NEARNAME_LONGEST = 48, NEARNAME_FAR = 1000 };

#endif
