// SPDX-License-Identifier: Apache-2.0
// Runs the program once for a point: starts it, collects what it prints, and ends it when time is up.
#include "engine/program/program_private.h"

#include "base/system/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    POLL_MS = 10,  // between two looks at the stop flag
    AGAIN_MS = 50, // between two attempts to start a program where the machine lacks something
    AGAINS = 40,   // of these attempts
    PIECE = 16384, // bytes of one read
    AT_ONCE = 64,  // reads between two looks at the stop flag: more than a pipe holds
};
static const double GRACE_S = 0.05; // from SIGTERM to SIGKILL

// ---- arguments --------------------------------------------------------------------------------

char **pps_launch_words(const struct pps_program *program, const double *point,
                        struct text_buffer *words)
{
    char **args = calloc((size_t)program->n_words + 1, sizeof *args);
    text_buffer_clear(words);
    for (int w = 0; w < program->n_words; w++) {
        pps_words_fill(program, program->words[w], point, words);
        text_buffer_add_bytes(words, "", 1);
    }
    char *at = words->text;
    for (int w = 0; args != NULL && !words->failed && w < program->n_words; w++) {
        args[w] = at;
        at += strlen(at) + 1;
    }
    if (!words->failed)
        return args;
    free(args);
    return NULL;
}

// ---- output -----------------------------------------------------------------------------------

bool pps_launch_read(int fd, struct text_buffer *out, size_t most)
{
    char piece[PIECE];
    ssize_t n = -1;
    for (int i = 0; i < AT_ONCE; i++) {
        n = read(fd, piece, sizeof piece);
        if (n == 0 || (n < 0 && errno != EINTR))
            break;
        if (n > 0)
            text_buffer_add_bytes(out, piece, (size_t)n);
        if (out->n > 2 * most) { // the end is what counts
            memmove(out->text, out->text + out->n - most, most);
            out->text[out->n = most] = '\0';
        }
    }
    return n != 0;
}

static bool open_pipe(int ends[2], struct pps_launch *launch)
{
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ends[0] = ends[1] = -1;
        launch->error = errno;
        (void)pps_fail_errno(&launch->err, "cannot open", "a pipe");
        return false;
    }
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static void close_ends(int ends[2])
{
    for (int e = 0; e < 2; e++)
        if (ends[e] >= 0)
            close(ends[e]);
}

// ---- one run ----------------------------------------------------------------------------------

static bool is_up(const atomic_bool *stop)
{
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed);
}

bool pps_launch_lacks(int error)
{
    return error == EMFILE || error == ENFILE || error == EAGAIN;
}

bool pps_launch_again(struct pps_program *program, int error, const char *why, int *attempts,
                      const atomic_bool *stop)
{
    if (!pps_launch_lacks(error) || is_up(stop))
        return false;
    if (++*attempts <= AGAINS) {
        (void)poll(NULL, 0, AGAIN_MS);
        return true;
    }
    pthread_mutex_lock(&program->lock);
    snprintf(program->lack, sizeof program->lack, "%s", why);
    pthread_mutex_unlock(&program->lock);
    return false;
}

// Waits for the end of the program, and reads what it prints meanwhile.
static void attend(struct pps_launch *launch, struct pps_process *process, int output,
                   int errors, double limit_s, const atomic_bool *stop)
{
    const double start_s = pps_wall_seconds();
    bool ended = false;
    while (!ended) {
        struct pollfd ready[3] = {{.fd = process->link, .events = POLLIN},
                                  {.fd = output, .events = POLLIN},
                                  {.fd = errors, .events = POLLIN}};
        (void)poll(ready, 3, POLL_MS);
        ended = pps_process_ended(process, &launch->ended);
        if (output >= 0 && !pps_launch_read(output, &launch->output, PPS_PROGRAM_OUTPUT))
            output = -1;
        if (errors >= 0 && !pps_launch_read(errors, &launch->errors, PPS_PROGRAM_LOG))
            errors = -1;
        if (ended || launch->end != PPS_LAUNCH_ENDED)
            continue;
        if (is_up(stop))
            launch->end = PPS_LAUNCH_STOPPED;
        else if (limit_s > 0 && pps_wall_seconds() - start_s > limit_s)
            launch->end = PPS_LAUNCH_LATE;
        if (launch->end != PPS_LAUNCH_ENDED)
            pps_process_stop(process);
    }
    launch->seconds = pps_wall_seconds() - start_s;
}

static bool start(struct pps_launch *launch, const struct pps_program *program,
                  const double *point, int output, int errors, struct pps_process *process)
{
    char **args = pps_launch_words(program, point, &launch->words);
    if (args == NULL) {
        (void)pps_fail_memory(&launch->err, "the command");
        launch->error = ENOMEM;
        return false;
    }
    const struct pps_process_start what = {.args = args,
                                           .output = output,
                                           .errors = errors,
                                           .grace_s = GRACE_S};
    const enum pps_status status = pps_process_start(process, &what, &launch->err);
    launch->error = status == PPS_OK ? 0 : errno;
    free(args);
    return status == PPS_OK;
}

static void run_once(struct pps_launch *launch, const struct pps_program *program,
                     const double *point, const atomic_bool *stop)
{
    struct pps_process process;
    int output[2] = {-1, -1}, errors[2] = {-1, -1};
    text_buffer_clear(&launch->output);
    text_buffer_clear(&launch->errors);
    launch->end = PPS_LAUNCH_UNABLE;
    launch->seconds = 0;
    launch->error = 0;
    if (open_pipe(output, launch) && open_pipe(errors, launch) &&
        start(launch, program, point, output[1], errors[1], &process)) {
        launch->end = PPS_LAUNCH_ENDED;
        close(output[1]);
        close(errors[1]);
        output[1] = errors[1] = -1;
        attend(launch, &process, output[0], errors[0], program->limit_s, stop);
    }
    close_ends(output);
    close_ends(errors);
}

void pps_launch_run(struct pps_launch *launch, struct pps_program *program, const double *point,
                    const atomic_bool *stop)
{
    int attempts = 0;
    do
        run_once(launch, program, point, stop);
    while (launch->end == PPS_LAUNCH_UNABLE &&
           pps_launch_again(program, launch->error, launch->err.text, &attempts, stop));
}

void pps_launch_free(struct pps_launch *launch)
{
    text_buffer_free(&launch->words);
    text_buffer_free(&launch->output);
    text_buffer_free(&launch->errors);
}

// ---- failures ---------------------------------------------------------------------------------

bool pps_launch_end_text(struct pps_process_end end, char why[PPS_PROGRAM_WHY])
{
    if (end.signal != 0)
        snprintf(why, PPS_PROGRAM_WHY, "ended by signal %d (%s)", end.signal,
                 strsignal(end.signal));
    else if (end.exit_status != 0)
        snprintf(why, PPS_PROGRAM_WHY, "exit status %d", end.exit_status);
    return end.signal != 0 || end.exit_status != 0;
}

bool pps_launch_failed(const struct pps_launch *launch, const struct pps_program *program,
                       char why[PPS_PROGRAM_WHY])
{
    if (launch->end == PPS_LAUNCH_UNABLE)
        snprintf(why, PPS_PROGRAM_WHY, "%.200s", launch->err.text);
    else if (launch->end == PPS_LAUNCH_LATE)
        snprintf(why, PPS_PROGRAM_WHY, "ran longer than its time limit of %.15g s",
                 program->limit_s);
    else
        return pps_launch_end_text(launch->ended, why);
    return true;
}
