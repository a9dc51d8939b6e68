// SPDX-License-Identifier: Apache-2.0
// The guard starts the program, adopts its descendants, and waits until all have ended. It ends them
// when the link is closed: by a request, or because the process at the other end has ended.
#include "base/system/process_guard.h"

#include "base/system/machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_PROCESSES = 1 << 16, // of the machine that are looked at
    LINK = 3,
    INPUT = 4, // INPUT + fd is what becomes descriptor fd of the program
    FIRST_UNUSED = 7,
    KILL_PAUSE_MS = 20, // between two rounds of SIGKILL
    FREEZE_ROUNDS =
        100, // of SIGSTOP, a millisecond apart; a process that waits in the kernel does not stop
};
static const double PATIENCE_S = 10; // after SIGKILL; then a process hangs in the kernel

// A process of the machine.
struct entry {
    pid_t pid, parent;
    bool ours;
    bool moves; // is neither stopped nor ended, and does not wait in the kernel
};

struct state {
    pid_t program;                     // 0: its end was seen
    struct pps_process_end end, later; // of the program; of the first descendant that failed
    bool stopping, killing;
    double next, give_up; // times of the next signal and of the end
    struct entry *entries;
};

// ---- start --------------------------------------------------------------------------------------

// Descriptors of the other guards would keep their links open.
static void close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)FIRST_UNUSED, ~0U, 0U) == 0)
        return;
#endif
    for (int fd = FIRST_UNUSED; fd < 65536; fd++)
        close(fd);
}

// Keeps the link and the program's stdin, stdout and stderr, which get fixed numbers, and nothing else. Returns 0, or errno;
// then guard->link is still open.
static int take_descriptors(const struct pps_guard *guard)
{
    const struct pps_process_start *start = guard->start;
    const int link = fcntl(guard->link, F_DUPFD, FIRST_UNUSED);
    const int open_null = open("/dev/null", O_RDWR);
    const int none = open_null >= 0 ? fcntl(open_null, F_DUPFD, FIRST_UNUSED) : -1;
    const int given[3] = {start->input > 0 ? start->input : none, start->output,
                          start->errors > 0 ? start->errors : start->output};
    int kept[3];
    bool ok = link >= 0 && none >= 0;
    for (int fd = 0; fd <= 2 && ok; fd++)
        ok = (kept[fd] = fcntl(given[fd], F_DUPFD, FIRST_UNUSED)) >= 0;
    for (int fd = 0; fd <= 2 && ok; fd++)
        ok = dup2(none, fd) == fd && dup2(kept[fd], INPUT + fd) == INPUT + fd &&
             fcntl(INPUT + fd, F_SETFD, FD_CLOEXEC) == 0;
    ok = ok && dup2(link, LINK) == LINK && fcntl(LINK, F_SETFD, FD_CLOEXEC) == 0;
    if (!ok)
        return errno != 0 ? errno : EIO;
    close_others();
    return 0;
}

// The guard outlives signals that are meant for the program or for the process that started it.
static int take_signals(void)
{
    sigset_t children;
    for (int number = 1; number < 32; number++)
        if (number != SIGCHLD && number != SIGSEGV && number != SIGBUS && number != SIGFPE &&
            number != SIGILL && number != SIGABRT)
            (void)signal(number, SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    if (sigprocmask(SIG_SETMASK, &children, NULL) != 0)
        return -1;
    return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int spawn(const struct pps_guard *guard, pid_t *program)
{
    posix_spawn_file_actions_t actions;
    const struct pps_process_start *start = guard->start;
    int why = posix_spawn_file_actions_init(&actions);
    if (why == 0 && start->folder != NULL)
        why = posix_spawn_file_actions_addchdir_np(&actions, start->folder);
    for (int fd = 0; fd <= 2 && why == 0; fd++)
        why = posix_spawn_file_actions_adddup2(&actions, INPUT + fd, fd);
    if (why == 0)
        why = posix_spawnp(program, start->args[0], &actions, guard->attributes, start->args,
                           start->variables != NULL ? start->variables : environ);
    return why;
}

static void send_report(int link, const struct pps_guard_report *report)
{
    while (send(link, report, sizeof *report, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

// ---- descendants --------------------------------------------------------------------------------

// Reads a process from /proc/PID/stat: "PID (name) state parent ...".
static struct entry read_process(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')');
    struct entry entry = {.pid = (pid_t)strtol(pid, NULL, 10)};
    if (at != NULL && strlen(at) > 4) {
        entry.parent = (pid_t)strtol(at + 4, NULL, 10);
        entry.moves = at[2] == 'R' || at[2] == 'S';
    }
    return entry;
}

static int list_processes(struct entry *entries)
{
    int n = 0;
    DIR *all = opendir("/proc");
    if (all == NULL)
        return 0;
    for (const struct dirent *one; (one = readdir(all)) != NULL && n < MOST_PROCESSES;)
        if (one->d_name[0] >= '1' && one->d_name[0] <= '9')
            entries[n++] = read_process(one->d_name);
    closedir(all);
    return n;
}

static bool is_ours(const struct entry *entries, int n, pid_t pid)
{
    for (int i = 0; i < n; i++)
        if (entries[i].pid == pid)
            return entries[i].ours;
    return false;
}

// Finds the descendants of this process; returns the number of entries.
static int find_ours(struct state *state)
{
    const pid_t self = getpid();
    const int n = state->entries != NULL ? list_processes(state->entries) : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++) {
            struct entry *e = &state->entries[i];
            if (e->ours || (e->parent != self && !is_ours(state->entries, n, e->parent)))
                continue;
            e->ours = changed = true;
        }
    }
    return n;
}

// Returns the number of processes that got the signal.
static int send_to_ours(const struct state *state, int n, int number)
{
    int sent = 0;
    for (int i = 0; i < n; i++)
        if (state->entries[i].ours)
            sent += kill(state->entries[i].pid, number) == 0;
    return sent;
}

static bool any_moves(const struct state *state, int n)
{
    for (int i = 0; i < n; i++)
        if (state->entries[i].ours && state->entries[i].moves)
            return true;
    return false;
}

// Stops all descendants for a moment, so that none starts a process that the next signal would miss.
// A stopped process neither forks nor ends: the set is complete when its size no longer changes and all
// have stopped, which may take a moment after the signal.
static int freeze(struct state *state)
{
    int n = find_ours(state), stopped = send_to_ours(state, n, SIGSTOP);
    bool moves = true;
    for (int round = 0, before = -1; round < FREEZE_ROUNDS && (moves || stopped != before);
         round++) {
        before = stopped;
        if (round > 0)
            (void)poll(NULL, 0, 1);
        n = find_ours(state);
        moves = any_moves(state, n);
        stopped = send_to_ours(state, n, SIGSTOP);
    }
    return n;
}

// Sends a signal to all descendants of this process. A stopped process acts on it, too.
static void signal_all(struct state *state, int number)
{
    const int n = freeze(state);
    if (state->program != 0) // also without /proc
        kill(-state->program, number);
    (void)send_to_ours(state, n, number);
    (void)send_to_ours(state, n, SIGCONT);
}

// ---- end ----------------------------------------------------------------------------------------

static struct pps_process_end end_of(int status)
{
    if (WIFSIGNALED(status))
        return (struct pps_process_end){.signal = WTERMSIG(status)};
    return (struct pps_process_end){.exit_status = WEXITSTATUS(status)};
}

// A helper that a script ends before its own end has not failed.
static bool is_failure(const struct pps_process_end *end)
{
    return end->exit_status != 0 || (end->signal != 0 && end->signal != SIGTERM &&
                                     end->signal != SIGINT && end->signal != SIGHUP);
}

// Takes the ends of all children that have ended. Returns false if no child is left. The program and a
// descendant may have ended since the last call, in an order that is unknown.
static bool reap(struct state *state)
{
    struct pps_process_end failure = {.signal = 0};
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR)) {
        const struct pps_process_end end = pid > 0 ? end_of(status) : failure;
        if (pid == state->program) {
            state->end = end;
            state->program = 0;
        } else if (is_failure(&end)) {
            failure = end;
        }
    }
    if (state->program == 0 && !is_failure(&state->later))
        state->later = failure;
    return pid == 0;
}

// Sends SIGKILL when it is due. Returns false when nothing more can be done.
static bool kill_late(struct state *state)
{
    const double now = pps_wall_seconds();
    if (!state->stopping || now < state->next)
        return true;
    if (state->killing && now > state->give_up)
        return false;
    signal_all(state, SIGKILL);
    if (!state->killing)
        state->give_up = now + PATIENCE_S;
    state->killing = true;
    state->next = now + KILL_PAUSE_MS * 1e-3;
    return true;
}

static void stop(struct state *state, double grace_s)
{
    state->stopping = true;
    state->next = pps_wall_seconds() + grace_s;
    signal_all(state, SIGTERM);
}

static int pause_ms(const struct state *state)
{
    if (!state->stopping)
        return -1;
    const double left = (state->next - pps_wall_seconds()) * 1e3 + 1;
    return left < 1 ? 1 : left > 1e6 ? 1000000 : (int)left;
}

static void wait_for_all(struct state *state, int children, double grace_s)
{
    while (reap(state) && kill_late(state)) {
        struct pollfd ready[2] = {{.fd = children, .events = POLLIN},
                                  {.fd = state->stopping ? -1 : LINK, .events = POLLIN}};
        struct signalfd_siginfo taken[8];
        if (poll(ready, 2, pause_ms(state)) <= 0)
            continue;
        if (ready[0].revents != 0)
            (void)!read(children, taken, sizeof taken);
        if (ready[1].revents != 0)
            stop(state, grace_s);
    }
}

void pps_guard_run(struct pps_guard guard)
{
    struct state state = {.program = 0};
    struct pps_guard_report told = {.error = 0};
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    const int why = take_descriptors(&guard);
    const int children = why == 0 ? take_signals() : -1;
    state.entries = malloc(MOST_PROCESSES * sizeof *state.entries);
    told.error = why != 0       ? why
                 : children < 0 ? (errno != 0 ? errno : EIO)
                                : spawn(&guard, &state.program);
    told.program = state.program;
    send_report(why == 0 ? LINK : guard.link, &told);
    if (told.error != 0)
        _exit(1);
    wait_for_all(&state, children, guard.start->grace_s);
    const bool good = state.end.signal == 0 && state.end.exit_status == 0;
    told.end = good && !state.stopping ? state.later : state.end;
    send_report(LINK, &told);
    _exit(0);
}
