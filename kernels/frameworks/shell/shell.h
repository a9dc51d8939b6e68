// SPDX-License-Identifier: Apache-2.0
// The shell reader finds the commands that a launch script runs, with the value of every word and the
// place in the script from which the value comes. It executes nothing.
//
// Evaluated: assignments (also after export, local, readonly, declare and typeset), strings, arrays,
// += , $X, ${X}, ${X:-default} and its relatives, ${#X}, whole-number arithmetic, conditions of
// known values ([ ], [[ ]], test, (( ))), if, case, && and ||, functions, bash -c and eval.
// A script counts as run without parameters, in an environment that has only what Slurm sets for its
// #SBATCH lines (nodes, tasks and devices).
// Everything else is tolerated. Its result is unresolved: the reader keeps the reason, and the caller
// decides whether the word matters. Both branches of an unknown condition are read; words that only
// one of them adds carry the number of the condition.
//
// A file may also hold arguments alone (--name value ...), on any number of lines.
#pragma once

#include "ppsweep/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHELL_NOWHERE = -1 };

// Where a byte of a word comes from.
struct shell_mark {
    int32_t at;     // offset in the script; SHELL_NOWHERE: computed
    int32_t use;    // the outermost expansion that brought the byte here; -1: written in place
    int32_t reason; // why the byte is unresolved; -1: resolved
    int32_t branch; // the reason why the byte may be missing; -1: always present
    bool
        kept; // quoted in a default, so it is not split; never set in words that the reader returns
};

struct shell_text {
    char *bytes; // n bytes and a NUL; an unresolved part is one byte, '?'
    struct shell_mark *marks;
    size_t n, cap;
    int32_t from,
        to; // the word as it is written in the command; SHELL_NOWHERE: in no one place
};

// An expansion in the script, for example ${X}.
struct shell_use {
    int32_t from, to;
    int32_t inner; // the expansion inside the value that brought the bytes there; -1: none
};

struct shell_command {
    struct shell_text *words;
    size_t n;
    int32_t from, to;
    bool bare; // arguments without a command
};

struct shell_reason {
    int32_t at;
    bool absent;    // a parameter of the script or a variable that the script does not set
    char text[120]; // follows "the value": "comes from $(...), which only a shell can evaluate"
};

// A place that lists words: the inside of an array's parentheses, a quoted value, or a command.
struct shell_list {
    int32_t from, to;
};

struct shell_value {
    bool array;
    struct shell_text *items; // one unless an array
    size_t n;
};

struct shell_variable {
    const char *name;
    const struct shell_value *value;
};

struct shell_block; // memory of a script

struct shell_script {
    const char *text; // the caller's; offsets count from its first byte
    size_t n;
    struct shell_command *commands; // in the order of the script
    size_t n_commands;
    struct shell_use *uses;
    size_t n_uses;
    struct shell_reason *reasons;
    size_t n_reasons;
    struct shell_list *lists;
    size_t n_lists;
    struct shell_variable *variables; // at the end of the script
    size_t n_variables;
    struct shell_block *blocks;
};

// Reads a script of n bytes, which must stay unchanged as long as the script is used. false: `fault`
// has line, column and text, and there is nothing to free. Refused: text that is not UTF-8 or holds
// control characters, quotes and blocks that do not end, scripts above 1 MiB or whose evaluation
// needs more than 64 MiB or 100000 steps.
bool shell_read(struct shell_script *script, const char *text, size_t n,
                struct pps_fault *fault);
void shell_free(struct shell_script *script); // a zeroed script is allowed

// Returns the first reason for which a word is unresolved, or may be missing; -1: none.
int32_t shell_unresolved(const struct shell_text *word);
int32_t shell_uncertain(const struct shell_text *word);

// Returns the value of a variable at the end of the script; NULL: not set.
const struct shell_value *shell_variable(const struct shell_script *script, const char *name);

// Finds the place in the script of the text from which a whole word comes, for example the 8 in
// TP=8 if the word is the value of $TP. false: the word is computed or put together.
bool shell_literal(const struct shell_script *script, const struct shell_text *word,
                   size_t *from, size_t *to);

// Finds the place of a word in the text in which another word of its command is written, quotes
// included: the expansion ${TP} or the literal that follows --name. The other word may be the word
// itself. false: the two words are written in different places.
bool shell_beside(const struct shell_script *script, const struct shell_text *word,
                  const struct shell_text *other, size_t *from, size_t *to);

// Returns the offset for messages: of the literal, otherwise of the expansion.
size_t shell_word_at(const struct shell_text *word, const struct shell_script *script);
