// SPDX-License-Identifier: Apache-2.0
// The interpreter of launch scripts. Private to kernels/frameworks/shell.
#pragma once

#include "kernels/frameworks/shell/shell.h"

#define SHELL_COMPUTED                                                                         \
    (struct shell_mark)                                                                        \
    {                                                                                          \
        SHELL_NOWHERE, -1, -1, -1, false                                                       \
    }

enum {
    SHELL_MOST_TEXT = 1 << 20,
    SHELL_MOST_MEMORY = 1 << 26,
    SHELL_MOST_STEPS = 100000,
    SHELL_DEEPEST = 100,
    SHELL_MOST_VARIABLES = 2000,
};

// What is known of the status of a command.
enum shell_status { SHELL_TRUE, SHELL_FALSE, SHELL_UNKNOWN };

// Words of a command or of an array.
struct shell_words {
    struct shell_text *items;
    size_t n, cap;
};

struct shell_function {
    const char *name;
    size_t body; // offset of the body
};

// What assignments change. Branches work on copies.
struct shell_state {
    struct shell_variable *variables;
    size_t n, cap;
    enum { SHELL_RUNS, SHELL_RETURNED, SHELL_EXITED } end;
};

struct shell {
    struct shell_script *script;
    const char *text;
    size_t at, n;
    struct shell_state state;
    struct shell_function *functions;
    size_t n_functions, cap_functions;
    const struct shell_words *parameters; // of the function that runs; NULL: of the script
    size_t cap_uses, cap_reasons, cap_lists, cap_commands, cap_block;
    size_t memory, steps;
    int depth;
    int dead;               // text is parsed, not evaluated
    bool bare;              // arguments without a command: | ( ) ; are letters
    bool failed;            // the fault is set
    enum shell_status last; // of the last command of a list
    size_t heredocs[16];    // offsets of delimiters that wait for the end of the line
    int n_heredocs;
    struct pps_fault *fault;
};

// ---- the interpreter (shell.c) ----

// Sets the fault unless it is set already; false.
bool shell_fail(struct shell *sh, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns zeroed memory that lives as long as the script; NULL: the fault is set.
void *shell_memory(struct shell *sh, size_t n);
// Adds a reason and returns its number.
int32_t shell_reason(struct shell *sh, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds the reason that a parameter or a variable, whose name has n bytes, is not set.
int32_t shell_absent(struct shell *sh, size_t at, const char *name, size_t n);
void shell_note_list(struct shell *sh, size_t from, size_t to);
// Adds a command. Takes the words as they are.
void shell_note_command(struct shell *sh, const struct shell_words *words, size_t from,
                        size_t to, bool bare);
// Counts a step. false: too many.
bool shell_step(struct shell *sh);
static inline bool shell_lives(const struct shell *sh)
{
    return sh->dead == 0 && sh->state.end == SHELL_RUNS && !sh->failed;
}

// ---- texts, values and variables (shell_value.c) ----

void shell_text_byte(struct shell *sh, struct shell_text *text, char byte,
                     struct shell_mark mark);
void shell_text_add(struct shell *sh, struct shell_text *text, const struct shell_text *more);
void shell_text_unknown(struct shell *sh, struct shell_text *text, int32_t reason);
void shell_words_add(struct shell *sh, struct shell_words *words,
                     const struct shell_text *word);
const struct shell_value *shell_scalar(struct shell *sh, const struct shell_text *text);
const struct shell_value *shell_array(struct shell *sh, const struct shell_words *words);
const struct shell_value *shell_unknown(struct shell *sh, int32_t reason);
const struct shell_value *shell_find(const struct shell *sh, const char *name, size_t n);
void shell_assign(struct shell *sh, const char *name, size_t n,
                  const struct shell_value *value);
void shell_unset(struct shell *sh, const char *name, size_t n);
// Copies the state, to be changed and merged.
struct shell_state shell_state_copy(struct shell *sh);
// Makes the state one of which either `sh->state` or `other` is true.
void shell_state_merge(struct shell *sh, const struct shell_state *other, int32_t reason);

// Sets the variables of Slurm from #SBATCH lines (shell_slurm.c).
void shell_read_slurm(struct shell *sh);

// ---- words (shell_word.c, shell_expand.c, shell_braces.c, shell_arithmetic.c) ----

static inline bool shell_is_name(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (!first && c >= '0' && c <= '9');
}
// Returns the length of the name at an offset; 0: none.
size_t shell_name(const struct shell *sh, size_t at);
// Skips blanks and line continuations; shell_gap also skips comments and ends of lines.
void shell_blanks(struct shell *sh);
void shell_gap(struct shell *sh);
// Reads a word and adds the words that it expands to. false: there is none, or a fault.
bool shell_word(struct shell *sh, struct shell_words *words);
// Adds the words of a text without quotes, split at blanks.
void shell_split(struct shell *sh, const struct shell_text *text, struct shell_words *words);
// Reads a word without splitting it, as on the right side of an assignment; it may be empty.
void shell_joined_word(struct shell *sh, struct shell_text *text);
// Reads text without splitting it up to the byte `stop` outside of quotes, and skips that byte.
void shell_text_until(struct shell *sh, char stop, struct shell_text *text);
// Expands the text from sh->at to `end` as in double quotes.
void shell_quoted(struct shell *sh, size_t end, struct shell_text *text);
// Reads an expansion, at $ or `, and adds the texts that it stands for: several for an array,
// none for a $ that starts no expansion (sh->at does not move then).
void shell_expansion(struct shell *sh, bool quoted, struct shell_words *parts);
// Reads ${...}, at $.
void shell_braces(struct shell *sh, bool quoted, struct shell_words *parts);
// Adds the texts of a variable or parameter. all: '@' or '*' of "${X[@]}"; 0: the first text.
void shell_texts_of(struct shell *sh, size_t at, const char *name, size_t n, char all,
                    struct shell_words *parts);
// Returns the offset of the byte that closes what the byte before sh->at opened; quotes and nesting
// are respected. 0: it does not end; the fault is set.
size_t shell_closing(struct shell *sh, char open, char close);
// Evaluates an expression. false: *reason says why it is unresolved.
bool shell_arithmetic(struct shell *sh, const struct shell_text *text, size_t at,
                      int64_t *value, int32_t *reason);
// Splits text that a shell would read again (eval, bash -c, a here-document) into the words of its
// commands.
void shell_read_again(struct shell *sh, const struct shell_text *text, size_t from, size_t to);

// ---- commands (shell_command.c, shell_assign.c, shell_redirect.c) ----

// Reads commands until one of the stop words, which end with NULL, or the end of the text.
bool shell_commands(struct shell *sh, const char *const *stops);
// Reads an assignment if one is next. false: none.
bool shell_assignment(struct shell *sh, bool live);
// Returns whether this reserved word is next; skips it with shell_take.
bool shell_next_is(const struct shell *sh, const char *word);
bool shell_take(struct shell *sh, const char *word);
// Skips a redirection, for example 2>&1 or > FILE. false: none is next.
bool shell_redirection(struct shell *sh);
// Reads the here-documents that start on the next line.
void shell_skip_heredocs(struct shell *sh);

// ---- blocks (shell_block.c, shell_function.c, shell_test.c) ----

// Reads a block (if, for, while, until, case, {, (, [[, ((, function) if one is next. false: none.
bool shell_block(struct shell *sh, enum shell_status *status);
void shell_call(struct shell *sh, const struct shell_function *function,
                const struct shell_words *words);
// Evaluates the words of [, test or [[.
enum shell_status shell_test(const struct shell_text *words, size_t n);
// Read [[ ]] and (( )), behind the first bracket or at it; `from` is for faults.
enum shell_status shell_double_brackets(struct shell *sh, size_t from);
enum shell_status shell_double_parentheses(struct shell *sh, size_t from);
// Reads `name() body` or `function name body`. false: none is next.
bool shell_function_next(struct shell *sh);
