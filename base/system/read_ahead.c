// SPDX-License-Identifier: Apache-2.0
// Reads a text source on a thread of its own, into a ring of pieces.
#include "base/system/read_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4, PIECE_BYTES = 1 << 18 };

// A piece of text, or what ended the reading.
struct piece {
    enum pps_status status;
    struct pps_error err; // of the status
    size_t n;             // 0: the end
    double part;          // of the file, behind the piece
    char text[PIECE_BYTES];
};

struct pps_read_ahead {
    struct pps_text_source *source;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int first, n;  // pieces that are read and not used up
    bool is_ended; // by the caller
    size_t used;   // bytes of the first piece
    double part;
    struct piece piece[PIECES];
};

// Waits for a free piece; returns NULL if the caller has ended the reading.
static struct piece *free_piece(struct pps_read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->n == PIECES && !a->is_ended)
        pthread_cond_wait(&a->changed, &a->lock);
    struct piece *piece = a->is_ended ? NULL : &a->piece[(a->first + a->n) % PIECES];
    pthread_mutex_unlock(&a->lock);
    return piece;
}

static void hand_over(struct pps_read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->n++;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void give_back(struct pps_read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->first = (a->first + 1) % PIECES;
    a->n--;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void *read_all(void *self)
{
    struct pps_read_ahead *a = self;
    for (bool more = true; more;) {
        struct piece *piece = free_piece(a);
        if (piece == NULL)
            break;
        piece->n = 0;
        piece->status = pps_text_source_read(a->source, piece->text, sizeof piece->text,
                                             &piece->n, &piece->err);
        piece->part = pps_text_source_part(a->source);
        more = piece->status == PPS_OK && piece->n > 0;
        hand_over(a);
    }
    return NULL;
}

enum pps_status pps_read_ahead_open(struct pps_read_ahead **ahead,
                                    struct pps_text_source *source, struct pps_error *err)
{
    struct pps_read_ahead *a = calloc(1, sizeof *a);
    *ahead = NULL;
    if (a == NULL)
        return pps_fail_memory(err, "reading ahead");
    a->source = source;
    a->part = pps_text_source_part(source);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    const int error = pthread_create(&a->thread, NULL, read_all, a);
    if (error != 0) {
        pthread_cond_destroy(&a->changed);
        pthread_mutex_destroy(&a->lock);
        free(a);
        return pps_fail(err, PPS_E_MACHINE, "cannot start a thread: %s", strerror(error));
    }
    *ahead = a;
    return PPS_OK;
}

// Waits for the first piece. The last piece is never given back: the end is read again and again.
static struct piece *first_piece(struct pps_read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (a->n == 0)
        pthread_cond_wait(&a->changed, &a->lock);
    struct piece *piece = &a->piece[a->first];
    pthread_mutex_unlock(&a->lock);
    return piece;
}

enum pps_status pps_read_ahead_read(struct pps_read_ahead *a, char *out, size_t cap, size_t *n,
                                    struct pps_error *err)
{
    const struct piece *piece = first_piece(a);
    const size_t left = piece->n - a->used;
    *n = left < cap ? left : cap;
    memcpy(out, piece->text + a->used, *n);
    a->used += *n;
    a->part = piece->part;
    if (piece->status != PPS_OK) {
        if (err != NULL)
            *err = piece->err;
        return piece->status;
    }
    if (a->used == piece->n && piece->n > 0) {
        a->used = 0;
        give_back(a);
    }
    return PPS_OK;
}

double pps_read_ahead_part(const struct pps_read_ahead *ahead)
{
    return ahead->part;
}

void pps_read_ahead_close(struct pps_read_ahead *a)
{
    if (a == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    a->is_ended = true;
    pthread_cond_signal(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    pps_text_source_close(a->source);
    free(a);
}
