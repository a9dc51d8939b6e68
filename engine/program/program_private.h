// SPDX-License-Identifier: Apache-2.0
// Shared by the files of a program: program.c and options.c read a command, words.c its words, answer.c reads what the program
// prints, launch.c runs it once, partner.c keeps it running, and points.c computes rows. Private to these files.
#pragma once

#include "base/system/process.h"
#include "base/text/text_buffer.h"
#include "engine/program/program.h"
#include "engine/space/axis.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    PPS_PROGRAM_RESULTS = 48,     // most result columns
    PPS_PROGRAM_WORDS = 256,      // most words of a command
    PPS_PROGRAM_TEXT = 120,       // bytes of a text among the results
    PPS_PROGRAM_WHY = 240,        // bytes of the reason why a point failed
    PPS_PROGRAM_OUTPUT = 1 << 20, // bytes that are kept of an output: its end
    PPS_PROGRAM_LOG = 1 << 16,    // the same of stderr
};

enum pps_program_lines {
    PPS_LINES_NONE, // the program runs once per point
    PPS_LINES_CSV,  // it reads points as lines and answers with lines
    PPS_LINES_JSON,
};

struct pps_partner;

struct pps_program {
    struct pps_kernel kernel;
    struct pps_param params[PPS_MAX_PARAMS];
    const char **names[PPS_MAX_PARAMS]; // of a choice
    struct pps_column columns[PPS_PROGRAM_RESULTS];
    bool knows_results;
    cJSON *resolved; // owns all names
    char *words[PPS_PROGRAM_WORDS + 1];
    int n_words;
    enum pps_program_lines lines;
    double limit_s; // of a point; 0: none
    double point_s; // about the time of a point
    int retries;
    char *logs; // folder, or NULL
    pthread_mutex_t lock;
    struct pps_partner *idle;   // running copies that wait for points
    char lack[PPS_PROGRAM_WHY]; // what the machine lacked when a program was to start; or ""
};

// ---- options.c ----

struct pps_command_reader {
    struct pps_program *program;
    const struct pps_program_ask *ask;
    struct pps_error *err;
};

// Fails with the place of an item of the command.
enum pps_status pps_command_fail(const struct pps_command_reader *reader, const cJSON *item,
                                 const char *what);

// Returns what the command says under a key; NULL: nothing.
const cJSON *pps_command_member(const struct pps_command_reader *reader, const char *key);

// Reads the protocol, times and retries, and checks the form of everything else but "run".
PPS_MUST_CHECK enum pps_status pps_program_read_options(
    const struct pps_command_reader *reader);

// ---- words.c ----

// Splits a command into at most `most` words: blanks separate, '...' and "..." join, a backslash takes the next character
// as it is. Returns their number, and words that the caller frees; -1 without memory; -2: a quote is open; -3: too many.
int pps_words_split(const char *text, char **words, int most);

// Calls `placeholder` for every {NAME} of a word. {{NAME}} stands for the text {NAME}.
void pps_words_placeholders(const char *word,
                            void (*placeholder)(void *self, const char *name, size_t n),
                            void *self);

// Appends the word with the values of a point in place of its placeholders.
void pps_words_fill(const struct pps_program *program, const char *word, const double *point,
                    struct text_buffer *out);

// Writes the value of parameter p as programs read it: 4, not 4.0.
size_t pps_program_value(const struct pps_program *program, int p, double value,
                         char out[PPS_CELL_TEXT]);

// ---- answer.c ----

// A result as it was printed. A JSON number is in `number`, everything else in `text`.
struct pps_said {
    const char *name;
    size_t name_n;
    const char *text; // NULL: a number
    size_t text_n;
    double number;
    bool quoted; // a text in JSON
};

typedef void pps_said_fn(void *self, const struct pps_said *said);

// Finds results in what a program printed: an object in JSON, the last name=value of every name, or a line of CSV with its
// header before it. Returns false if there are none.
bool pps_answer_scan(const char *text, size_t n, pps_said_fn *found, void *self);

// Finds the results in one line of JSON. Returns false if it is no object.
bool pps_answer_scan_json(const char *text, size_t n, pps_said_fn *found, void *self);

// Finds the results in a line of CSV with this header. Returns false if it has another number of cells.
bool pps_answer_scan_csv(const char *header, const char *line, pps_said_fn *found, void *self);

// The results of a point.
struct pps_answer {
    const struct pps_program *program;
    double numbers[PPS_PROGRAM_RESULTS];
    char texts[PPS_PROGRAM_RESULTS][PPS_PROGRAM_TEXT + 1];
    bool known[PPS_PROGRAM_RESULTS];
};

void pps_answer_begin(struct pps_answer *answer, const struct pps_program *program);
void pps_answer_take(void *answer, const struct pps_said *said); // a pps_said_fn
// Returns false, with the reason, if a result is missing or the first one is not a finite number.
bool pps_answer_complete(const struct pps_answer *answer, char why[PPS_PROGRAM_WHY]);

// ---- launch.c ----

enum pps_launch_end {
    PPS_LAUNCH_ENDED,
    PPS_LAUNCH_STOPPED,
    PPS_LAUNCH_LATE,
    PPS_LAUNCH_UNABLE
};

// One run of the program.
struct pps_launch {
    struct text_buffer words;  // its arguments, each ended with NUL
    struct text_buffer output; // the end of stdout
    struct text_buffer errors; // the end of stderr
    struct pps_process_end ended;
    enum pps_launch_end end;
    double seconds;
    struct pps_error err; // of a program that could not be started
    int error;            // and its errno
};

// Returns whether a program could not start because the machine lacks descriptors or processes: that says nothing of
// the point.
bool pps_launch_lacks(int error);

// Waits a moment, and returns true, if the program should be started again. After many attempts it notes the lack, which
// ends the run.
bool pps_launch_again(struct pps_program *program, int error, const char *why, int *attempts,
                      const atomic_bool *stop);

// Makes the arguments of a point; NULL without memory. The caller frees the list.
char **pps_launch_words(const struct pps_program *program, const double *point,
                        struct text_buffer *words);

// Runs the program for one point.
void pps_launch_run(struct pps_launch *launch, struct pps_program *program, const double *point,
                    const atomic_bool *stop);
void pps_launch_free(struct pps_launch *launch);

// Writes why the run is a failure; returns false if it is none.
bool pps_launch_failed(const struct pps_launch *launch, const struct pps_program *program,
                       char why[PPS_PROGRAM_WHY]);

// Writes "exit status 3" or "ended by signal 9 (Killed)" for a program that ended otherwise than with status 0.
bool pps_launch_end_text(struct pps_process_end end, char why[PPS_PROGRAM_WHY]);

// Appends what the descriptor has, up to `most` bytes of which are kept: the last ones. A program that prints faster than
// they are read does not hold it: it reads about 1 MiB at most. Returns false at the end of the output.
bool pps_launch_read(int fd, struct text_buffer *out, size_t most);

// Writes the log of a point that failed.
void pps_launch_log(const struct pps_program *program, const double *point, const char *why,
                    const char *output, const char *errors);

// ---- partner.c ----

// How a conversation with a running copy has ended.
enum pps_ask_end {
    PPS_ASK_ANSWERED,
    PPS_ASK_FAILED,  // at the point that is returned
    PPS_ASK_STOPPED, // at the point that is returned
    PPS_ASK_UNASKED, // the copy has printed more lines than points: no answer of the conversation counts
};

// Takes the answer of point i. Returns false, with the reason, if the line is none.
typedef bool pps_answered_fn(void *self, size_t i, const char *header, const char *line,
                             char why[PPS_PROGRAM_WHY]);

// Asks a running copy of the program for the points of a batch from `first` on. Takes every answer with `answered`, in
// order. Returns the first point that has none, or the number of points; with the reason unless all have one.
size_t pps_partner_ask(struct pps_program *program, const double *const *param, size_t first,
                       size_t n, const atomic_bool *stop, pps_answered_fn *answered, void *self,
                       enum pps_ask_end *end, char why[PPS_PROGRAM_WHY]);

// Ends all running copies.
void pps_partners_end(struct pps_program *program);

// ---- points.c ----

void pps_program_run(const struct pps_batch *batch, const struct pps_worker *worker);
