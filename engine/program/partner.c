// SPDX-License-Identifier: Apache-2.0
// Keeps copies of the program running that answer points line by line. A copy belongs to one thread while it
// is asked; between two batches it waits in a list.
#include "engine/program/program_private.h"

#include "base/system/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    POLL_MS = 10,
    PROOF_MS =
        20, // that a copy has, after its first answers, to print a line that nobody asked for
};
static const double GRACE_S = 0.05;   // from SIGTERM to SIGKILL
static const double FAREWELL_S = 0.5; // that a copy has to end after its last point

struct pps_partner {
    struct pps_process process;
    int input, output, errors; // of the program; errors -1: closed
    struct text_buffer said;   // what it has printed and was not read yet
    size_t said_at;
    struct text_buffer complaints; // stderr
    char *header;                  // the first line that it has printed, of CSV
    bool greeted;                  // the header of points was sent
    bool proven;                   // it has printed one line per point
    struct pps_partner *next;
};

// ---- starting and ending ----------------------------------------------------------------------

static void free_partner(struct pps_partner *partner)
{
    close(partner->input);
    close(partner->output);
    if (partner->errors >= 0)
        close(partner->errors);
    text_buffer_free(&partner->said);
    text_buffer_free(&partner->complaints);
    free(partner->header);
    free(partner);
}

static bool launch(struct pps_partner *partner, const struct pps_program *program, int input,
                   int output, int errors, struct pps_error *err)
{
    struct text_buffer words = {.text = NULL};
    char **args = pps_launch_words(program, NULL, &words);
    enum pps_status status = args != NULL ? PPS_OK : pps_fail_memory(err, "the command");
    const struct pps_process_start what = {.args = args,
                                           .input = input,
                                           .output = output,
                                           .errors = errors,
                                           .grace_s = GRACE_S};
    if (status == PPS_OK)
        status = pps_process_start(&partner->process, &what, err);
    const int error = errno;
    free(args);
    text_buffer_free(&words);
    errno = error;
    return status == PPS_OK;
}

// The input is a socket, because writing to one whose reader has ended raises no signal.
static struct pps_partner *start(const struct pps_program *program, char why[PPS_PROGRAM_WHY],
                                 int *error)
{
    struct pps_partner *partner = calloc(1, sizeof *partner);
    struct pps_error err = {.text = "cannot open a pipe"};
    int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1};
    const bool piped = partner != NULL &&
                       socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0 &&
                       pipe2(output, O_CLOEXEC) == 0 && pipe2(errors, O_CLOEXEC) == 0;
    const bool ready = piped && fcntl(output[0], F_SETFL, O_NONBLOCK) == 0 &&
                       fcntl(errors[0], F_SETFL, O_NONBLOCK) == 0 &&
                       launch(partner, program, input[1], output[1], errors[1], &err);
    *error = ready ? 0 : errno;
    int *const ends[] = {input, output, errors};
    for (int e = 0; e < 3; e++) {
        if (ends[e][1] >= 0)
            close(ends[e][1]);
        if (!ready && ends[e][0] >= 0)
            close(ends[e][0]);
    }
    if (ready) {
        partner->input = input[0];
        partner->output = output[0];
        partner->errors = errors[0];
        return partner;
    }
    snprintf(why, PPS_PROGRAM_WHY, "%.200s", err.text);
    free(partner);
    return NULL;
}

// Ends a copy: at once, or with its last chance to end by itself.
static struct pps_process_end end_partner(struct pps_partner *partner, bool at_once)
{
    struct pps_process_end end = {.signal = 0};
    struct pollfd link = {.fd = partner->process.link, .events = POLLIN};
    (void)shutdown(partner->input, SHUT_WR);
    if (at_once || poll(&link, 1, (int)(FAREWELL_S * 1e3)) <= 0)
        pps_process_stop(&partner->process);
    pps_process_wait(&partner->process, &end);
    free_partner(partner);
    return end;
}

static struct pps_partner *take_idle(struct pps_program *program)
{
    pthread_mutex_lock(&program->lock);
    struct pps_partner *partner = program->idle;
    if (partner != NULL)
        program->idle = partner->next;
    pthread_mutex_unlock(&program->lock);
    return partner;
}

// The end of a copy that waited is no fault of the next point.
static struct pps_partner *take(struct pps_program *program, char why[PPS_PROGRAM_WHY],
                                const atomic_bool *stop, enum pps_ask_end *end)
{
    struct pps_partner *partner;
    int error, attempts = 0;
    while ((partner = take_idle(program)) != NULL) {
        struct pollfd link = {.fd = partner->process.link, .events = POLLIN};
        if (poll(&link, 1, 0) == 0)
            return partner;
        (void)end_partner(partner, true);
    }
    do
        partner = start(program, why, &error);
    while (partner == NULL && pps_launch_again(program, error, why, &attempts, stop));
    *end = pps_launch_lacks(error) ? PPS_ASK_STOPPED : PPS_ASK_FAILED;
    return partner;
}

static void give_back(struct pps_program *program, struct pps_partner *partner)
{
    pthread_mutex_lock(&program->lock);
    partner->next = program->idle;
    program->idle = partner;
    pthread_mutex_unlock(&program->lock);
}

void pps_partners_end(struct pps_program *program)
{
    for (const struct pps_partner *p = program->idle; p != NULL; p = p->next)
        (void)shutdown(p->input, SHUT_WR); // all at once
    while (program->idle != NULL) {
        struct pps_partner *partner = program->idle;
        program->idle = partner->next;
        (void)end_partner(partner, false);
    }
}

// ---- points as lines --------------------------------------------------------------------------

static void add_header(const struct pps_program *program, struct text_buffer *out)
{
    for (int p = 0; p < program->kernel.n_params; p++)
        text_buffer_add(out, "%s%s", p > 0 ? "," : "", program->params[p].name);
    text_buffer_add_bytes(out, "\n", 1);
}

static void add_json_value(const struct pps_param *param, const char *value, size_t n,
                           struct text_buffer *out)
{
    const bool quoted = param->kind == PPS_CHOICE;
    text_buffer_add_bytes(out, "\"", quoted);
    for (size_t i = 0; i < n; i++) {
        if (quoted && (value[i] == '"' || value[i] == '\\'))
            text_buffer_add_bytes(out, "\\", 1);
        text_buffer_add_bytes(out, value + i, 1);
    }
    text_buffer_add_bytes(out, "\"", quoted);
}

static void add_point(const struct pps_program *program, const double *const *param, size_t i,
                      struct text_buffer *out)
{
    const bool json = program->lines == PPS_LINES_JSON;
    for (int p = 0; p < program->kernel.n_params; p++) {
        char value[PPS_CELL_TEXT];
        const size_t n = pps_program_value(program, p, param[p][i], value);
        text_buffer_add_bytes(out, json && p == 0 ? "{" : ",", json || p > 0);
        if (!json) {
            text_buffer_add_bytes(out, value, n);
            continue;
        }
        text_buffer_add(out, "\"%s\":", program->params[p].name);
        add_json_value(&program->params[p], value, n, out);
    }
    text_buffer_add_bytes(out, "}\n", json ? 2 : 0);
    text_buffer_add_bytes(out, "\n", !json);
}

// ---- the conversation -------------------------------------------------------------------------

struct talk {
    struct pps_program *program;
    struct pps_partner *partner;
    struct text_buffer points; // to be sent
    size_t sent;
    size_t next, n; // the point whose answer comes next; their number
    pps_answered_fn *answered;
    void *self;
    char *why;
    double since; // the last answer
    bool failed, gone;
};

// Returns the next whole line, ended with NUL in place of its line break; NULL: not yet. NUL bytes become blanks.
static char *next_line(struct pps_partner *partner)
{
    if (partner->said_at >= partner->said.n)
        return NULL;
    char *line = partner->said.text + partner->said_at;
    char *end = memchr(line, '\n', partner->said.n - partner->said_at);
    if (end == NULL)
        return NULL;
    partner->said_at = (size_t)(end - partner->said.text) + 1;
    *end = '\0';
    for (char *c = line + strlen(line); c < end; c += strlen(c))
        *c = ' ';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

// Drops what was read of the text.
static void forget(struct pps_partner *partner)
{
    struct text_buffer *said = &partner->said;
    if (partner->said_at == 0)
        return;
    memmove(said->text, said->text + partner->said_at, said->n - partner->said_at + 1);
    said->n -= partner->said_at;
    partner->said_at = 0;
}

static void take_answers(struct talk *t)
{
    char *line;
    while (!t->failed && t->next < t->n && (line = next_line(t->partner)) != NULL) {
        t->since = pps_wall_seconds();
        if (t->program->lines == PPS_LINES_CSV && t->partner->header == NULL) {
            t->partner->header = strdup(line);
            t->failed = t->partner->header == NULL;
            continue;
        }
        if (t->answered(t->self, t->next, t->partner->header, line, t->why))
            t->next++;
        else
            t->failed = true;
    }
    forget(t->partner);
}

static void send_points(struct talk *t)
{
    const size_t left = t->points.n - t->sent;
    const ssize_t n = left > 0 ? send(t->partner->input, t->points.text + t->sent, left,
                                      MSG_DONTWAIT | MSG_NOSIGNAL)
                               : 0;
    if (n > 0)
        t->sent += (size_t)n;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        t->sent = t->points.n; // it reads no more; its end is seen below
}

static void exchange(struct talk *t)
{
    struct pps_partner *p = t->partner;
    struct pollfd ready[4] = {{.fd = p->output, .events = POLLIN},
                              {.fd = t->sent < t->points.n ? p->input : -1, .events = POLLOUT},
                              {.fd = p->errors, .events = POLLIN},
                              {.fd = p->process.link, .events = POLLIN}};
    (void)poll(ready, 4, POLL_MS);
    if (ready[1].revents != 0)
        send_points(t);
    if (ready[2].revents != 0 && !pps_launch_read(p->errors, &p->complaints, PPS_PROGRAM_LOG)) {
        close(p->errors);
        p->errors = -1;
    }
    if (ready[0].revents != 0)
        t->gone = !pps_launch_read(p->output, &p->said, 2 * (size_t)PPS_PROGRAM_OUTPUT);
    t->failed = t->failed || p->said.failed || t->points.failed; // no memory
    take_answers(t);
    if (!t->failed && t->next < t->n && p->said.n > PPS_PROGRAM_OUTPUT) {
        snprintf(t->why, PPS_PROGRAM_WHY, "answered with a line of more than %d bytes",
                 PPS_PROGRAM_OUTPUT);
        t->failed = true;
    }
    t->gone = t->gone || ready[3].revents != 0;
}

static void prepare(struct talk *t, const double *const *param)
{
    if (t->program->lines == PPS_LINES_CSV && !t->partner->greeted)
        add_header(t->program, &t->points);
    t->partner->greeted = true;
    for (size_t i = t->next; i < t->n; i++)
        add_point(t->program, param, i, &t->points);
    t->since = pps_wall_seconds();
}

// Returns whether the copy has printed more than was asked for: its lines no longer belong to their points.
static bool said_unasked(struct pps_partner *p)
{
    struct pollfd output = {.fd = p->output, .events = POLLIN};
    if (p->said.n == 0 && poll(&output, 1, p->proven ? 0 : PROOF_MS) > 0)
        (void)pps_launch_read(p->output, &p->said, PPS_PROGRAM_OUTPUT);
    p->proven = true;
    return p->said.n > 0;
}

// Ends a copy that did not answer all points, and says why.
static void dismiss(struct talk *t, bool stopped)
{
    struct pps_partner *p = t->partner;
    const double limit_s = t->program->limit_s;
    const bool late = !t->failed && !t->gone && !stopped;
    const bool ended = !t->failed && t->gone;
    char log[PPS_PROGRAM_WHY] = "";
    if (ended && p->errors >= 0)
        (void)pps_launch_read(p->errors, &p->complaints, PPS_PROGRAM_LOG);
    if (late)
        snprintf(t->why, PPS_PROGRAM_WHY, "gave no answer within its time limit of %.15g s",
                 limit_s);
    if (p->complaints.n > 0)
        snprintf(log, sizeof log, "%s",
                 p->complaints.text + (p->complaints.n > 150 ? p->complaints.n - 150 : 0));
    const struct pps_process_end end = end_partner(p, !ended);
    if (ended && !pps_launch_end_text(end, t->why))
        snprintf(t->why, PPS_PROGRAM_WHY, "ended before it answered");
    const size_t n = strlen(t->why);
    log[strcspn(log, "\n")] = '\0';
    if (ended && log[0] != '\0')
        snprintf(t->why + n, PPS_PROGRAM_WHY - n, "; stderr: %.150s", log);
}

static void converse(struct talk *t, const atomic_bool *stop, enum pps_ask_end *end)
{
    const double limit_s = t->program->limit_s;
    *end = PPS_ASK_ANSWERED;
    while (t->next < t->n && *end == PPS_ASK_ANSWERED) {
        exchange(t);
        const bool late = limit_s > 0 && pps_wall_seconds() - t->since > limit_s;
        if (t->next < t->n && stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            *end = PPS_ASK_STOPPED;
        else if (t->next < t->n && (t->failed || t->gone || late))
            *end = PPS_ASK_FAILED;
    }
    if (*end == PPS_ASK_ANSWERED && said_unasked(t->partner)) {
        *end = PPS_ASK_UNASKED;
        t->failed = true;
    }
}

size_t pps_partner_ask(struct pps_program *program, const double *const *param, size_t first,
                       size_t n, const atomic_bool *stop, pps_answered_fn *answered, void *self,
                       enum pps_ask_end *end, char why[PPS_PROGRAM_WHY])
{
    struct talk t = {.program = program,
                     .partner = take(program, why, stop, end),
                     .next = first,
                     .n = n,
                     .answered = answered,
                     .self = self,
                     .why = why};
    if (t.partner == NULL)
        return first;
    *end = PPS_ASK_FAILED;
    if (t.partner->proven && said_unasked(t.partner)) {
        *end = PPS_ASK_UNASKED;
        t.failed = true;
    } else {
        prepare(&t, param);
        converse(&t, stop, end);
    }
    text_buffer_free(&t.points);
    if (*end == PPS_ASK_UNASKED)
        snprintf(
            why, PPS_PROGRAM_WHY,
            "printed more lines than points; print one line per point, and messages to stderr");
    if (*end == PPS_ASK_ANSWERED)
        give_back(program, t.partner);
    else
        dismiss(&t, *end == PPS_ASK_STOPPED);
    return *end == PPS_ASK_UNASKED ? first : t.next;
}
