// SPDX-License-Identifier: Apache-2.0
// A small kernel for tests: a hand of cards from a deck, which is a text. It draws with a seed,
// waits for the stop flag if it is told to, and writes artifacts. Tests of the command line
// compile this file as a shared library.
#include "ppsweep/kernel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CARDS = 1 << 20, MOST_DECKS = 8 };

// ---- parameters and columns -------------------------------------------------------------------

enum { DECK, SEED, HAND, FOREVER, N_PARAMS };

enum { NOTHING, POINT, REFERENCE };
static const char *const forever_names[] = {"nothing", "point", "reference", NULL};

static const struct pps_param params[N_PARAMS] = {
    [DECK] = {.name = "deck", .unit = "", .summary = "", .kind = PPS_CHOICE, .max = 1e6},
    [SEED] = {.name = "seed",
              .unit = "",
              .summary = "seed of the draw",
              .kind = PPS_INTEGER,
              .fallback = 42,
              .max = 0x1p53 - 1},
    [HAND] = {.name = "hand",
              .unit = "",
              .summary = "cards in the hand",
              .kind = PPS_INTEGER,
              .fallback = 1,
              .min = 1,
              .max = 100},
    [FOREVER] = {.name = "forever",
                 .unit = "",
                 .summary = "what takes forever: nothing, the point, its reference",
                 .kind = PPS_CHOICE,
                 .names = forever_names},
};

static const struct pps_column columns[] = {
    {.name = "sum", .unit = "", .summary = "", .kind = PPS_COLUMN_INTEGER, .goal = PPS_LOWER},
};

static const char *const reasons[] = {"", NULL};

// ---- documents --------------------------------------------------------------------------------

static const struct pps_slot slots[] = {
    {"deck", "values of the cards, one per line", false, DECK, NULL, 0, true, NULL},
};

struct decks {
    int n;
    int n_cards[MOST_DECKS];
    long *cards[MOST_DECKS];
};

static void close_decks(void *shared)
{
    struct decks *decks = shared;
    for (int d = 0; d < MOST_DECKS; d++)
        free(decks->cards[d]);
    free(decks);
}

static bool read_deck(struct decks *decks, const struct pps_document *document, int d,
                      struct pps_fault *fault)
{
    int line = 1;
    decks->cards[d] = calloc(MOST_CARDS, sizeof *decks->cards[d]);
    if (document->text == NULL || decks->cards[d] == NULL || document->text[document->n] != 0) {
        *fault = (struct pps_fault){.document = d, .text = "expected text: a card per line"};
        return false;
    }
    for (const char *at = document->text; *at != '\0'; line++) {
        char *end;
        const long card = strtol(at, &end, 10);
        if (end == at || *end != '\n' || line > MOST_CARDS) {
            *fault = (struct pps_fault){.document = d, .line = line, .column = 1};
            snprintf(fault->text, sizeof fault->text, "expected a whole number");
            return false;
        }
        decks->cards[d][decks->n_cards[d]++] = card;
        at = end + 1;
    }
    return true;
}

static bool open_decks(const struct pps_document *documents, int n, void **shared,
                       struct pps_fault *fault)
{
    struct decks *decks = calloc(1, sizeof *decks);
    for (int d = 0; d < n && d < MOST_DECKS; d++) {
        if (!read_deck(decks, &documents[d], d, fault)) {
            close_decks(decks);
            return false;
        }
        decks->n++;
    }
    *shared = decks;
    return true;
}

// ---- points -----------------------------------------------------------------------------------

static size_t scratch_bytes(const double *highest, const void *shared)
{
    (void)highest;
    (void)shared;
    return 0;
}

static int check(const double *point, const void *shared)
{
    (void)point;
    (void)shared;
    return 0;
}

static double cost(const double *point, const void *shared)
{
    (void)point;
    (void)shared;
    return 100;
}

// Returns card i of the hand: a card of the deck, or a number from 1 to 6 without a deck.
static long draw(const struct decks *decks, int deck, uint64_t seed, int i)
{
    const uint64_t bits =
        (seed * 1000003 + (uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 33;
    if (decks->n == 0 || decks->n_cards[deck] == 0)
        return 1 + (long)(bits % 6);
    return decks->cards[deck][bits % (uint64_t)decks->n_cards[deck]];
}

// Takes forever, until the user interrupts the program. A second signal would end it without a word.
static void interrupted(const struct pps_worker *worker)
{
    static atomic_flag asked = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&asked))
        kill(getpid(), SIGINT);
    while (!atomic_load(worker->stop)) {
    }
}

static void run(const struct pps_batch *batch, const struct pps_worker *worker)
{
    for (size_t k = 0; k < batch->n_points; k++) {
        long sum = 0;
        if (batch->param[FOREVER][k] == POINT)
            interrupted(worker);
        for (int i = 0; i < (int)batch->param[HAND][k]; i++)
            sum += draw(worker->shared, (int)batch->param[DECK][k],
                        (uint64_t)batch->param[SEED][k], i);
        if (batch->column[0] != NULL)
            batch->column[0][k] = (double)sum;
        batch->outcome[k] = batch->param[FOREVER][k] == POINT ? PPS_STOPPED : PPS_DONE;
    }
}

static void reference(const struct pps_batch *batch, const struct pps_worker *worker)
{
    run(batch, worker);
    for (size_t k = 0; k < batch->n_points; k++) {
        if (batch->param[FOREVER][k] == REFERENCE) {
            interrupted(worker);
            batch->outcome[k] = PPS_STOPPED;
        }
    }
}

// ---- traces and artifacts -----------------------------------------------------------------------

static const char *const tracks[] = {"table", NULL};
static const char *const kinds[] = {"card", NULL};
static const struct pps_trace_names trace_names = {.group = "player",
                                                   .item = "card",
                                                   .flag = "high",
                                                   .tracks = tracks,
                                                   .kinds = kinds,
                                                   .chunk = "half"};

static enum pps_outcome trace(const double *point, const struct pps_worker *worker,
                              const struct pps_trace_sink *sink)
{
    if (point[FOREVER] == POINT) {
        interrupted(worker);
        return PPS_STOPPED;
    }
    for (int i = 0; i < (int)point[HAND]; i++)
        sink->piece(sink->self, &(struct pps_piece){.item = i,
                                                    .ordinal = i,
                                                    .start = i,
                                                    .end = i + 1,
                                                    .rate = 1,
                                                    .chunk = i % 2});
    return PPS_DONE;
}

static const struct pps_artifact artifacts[] = {
    {"hand", "the cards of the hand", ".txt"},
    {"nothing", "a text that the kernel cannot make", ".txt"},
    {NULL, NULL, NULL},
};

static enum pps_outcome artifact(const double *point, int which,
                                 const struct pps_worker *worker,
                                 const struct pps_text_sink *sink, struct pps_fault *fault)
{
    char line[32];
    if (point[FOREVER] == POINT) {
        interrupted(worker);
        return PPS_STOPPED;
    }
    for (int i = 0; i < (int)point[HAND]; i++) {
        const long card = draw(worker->shared, (int)point[DECK], (uint64_t)point[SEED], i);
        sink->write(sink->self, line, (size_t)snprintf(line, sizeof line, "%ld\n", card));
    }
    if (which == 0)
        return PPS_DONE;
    snprintf(fault->text, sizeof fault->text, "there is nothing to write");
    return PPS_FAILED;
}

// ---- the kernel -------------------------------------------------------------------------------

extern const struct pps_kernel cards;
const struct pps_kernel cards = {
    .name = "cards",
    .summary = "a hand of cards",
    .source = "none",
    .version = "1",
    .params = params,
    .n_params = N_PARAMS,
    .columns = columns,
    .n_columns = 1,
    .reasons = reasons,
    .slots = slots,
    .n_slots = 1,
    .open = open_decks,
    .close = close_decks,
    .scratch_bytes = scratch_bytes,
    .check = check,
    .cost = cost,
    .run = run,
    .reference = reference,
    .trace_names = &trace_names,
    .trace = trace,
    .artifacts = artifacts,
    .artifact = artifact,
};
PPS_KERNEL_MODULE(cards)
