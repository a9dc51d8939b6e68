// SPDX-License-Identifier: Apache-2.0
// Started programs: their ends, their descendants, and stopping them.
#include "base/system/process.h"

#include "base/system/machine.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char output[64];

static int open_output(void)
{
    strcpy(output, "/tmp/pps-process-XXXXXX");
    const int fd = mkstemp(output);
    cr_assert_geq(fd, 0);
    return fd;
}

static struct pps_process start_shell(char *command, double grace_s)
{
    struct pps_error err = {.text = ""};
    struct pps_process process;
    char sh[] = "/bin/sh", option[] = "-c";
    char *const args[] = {sh, option, command, NULL};
    const int fd = open_output();
    const struct pps_process_start start = {.args = args, .output = fd, .grace_s = grace_s};
    cr_assert_eq(pps_process_start(&process, &start, &err), PPS_OK, "%s", err.text);
    close(fd);
    return process;
}

// The output of the program so far.
static const char *read_output(void)
{
    static char text[256];
    const int fd = open(output, O_RDONLY);
    const ssize_t n = read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
    return text;
}

static void wait_for_output(const char *text)
{
    for (int i = 0; i < 1000 && strcmp(read_output(), text) != 0; i++)
        usleep(10000);
    cr_assert_str_eq(read_output(), text);
}

static void check_nothing_remains(void)
{
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
    cr_assert_eq(errno, ECHILD);
    unlink(output);
}

// Catches an end that is confused with another, and a shell whose stdin is the caller's.
// Would catch a program that reads the input of this process, or whose messages are taken for its output.
Test(process, has_its_own_input_and_errors)
{
    struct pps_error err = {.text = ""};
    struct pps_process process;
    struct pps_process_end end;
    char sh[] = "/bin/sh", option[] = "-c", command[] = "read a; echo wrong >&2; echo $a";
    char *const args[] = {sh, option, command, NULL};
    int input[2], errors[2];
    cr_assert(pipe(input) == 0 && pipe(errors) == 0);
    cr_assert_eq(write(input[1], "given\n", 6), 6);
    const int fd = open_output();
    const struct pps_process_start start = {.args = args,
                                            .input = input[0],
                                            .output = fd,
                                            .errors = errors[1],
                                            .grace_s = 1};
    cr_assert_eq(pps_process_start(&process, &start, &err), PPS_OK, "%s", err.text);
    pps_process_wait(&process, &end);
    cr_assert_eq(end.exit_status, 0);
    cr_assert_str_eq(read_output(), "given\n");
    unlink(output);
}

Test(process, ends_of_programs)
{
    static const struct {
        const char *command;
        int exit_status, signal;
        const char *output;
    } cases[] = {
        {"echo out; echo err >&2", 0, 0, "out\nerr\n"},
        {"exit 7", 7, 0, ""},
        {"kill -SEGV $$", 0, SIGSEGV, ""},
        {"read line || echo none", 0, 0, "none\n"},
        {"(sleep 0.1; exit 9) & exit 0", 9, 0, ""},          // fails later
        {"(sleep 0.1; echo late) & exit 0", 0, 0, "late\n"}, // is waited for
        {"(sleep 0.1; exit 9) & exit 3", 3, 0, ""},          // the first failure counts
        {"sleep 60 & kill $!; exit 0", 0, 0, ""},            // a helper that was ended
        {"setsid sh -c 'sleep 0.1; echo far' & exit 0", 0, 0, "far\n"}, // left the session
        {"ulimit -c 0; sh -c 'kill -KILL $$'; exit $?", 137, 0, "Killed\n"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char command[128];
        struct pps_process_end end;
        strcpy(command, cases[c].command);
        struct pps_process process = start_shell(command, 5);
        pps_process_wait(&process, &end);
        cr_expect_eq(end.exit_status, cases[c].exit_status, "%s: %d", command, end.exit_status);
        cr_expect_eq(end.signal, cases[c].signal, "%s: %d", command, end.signal);
        cr_expect_str_eq(read_output(), cases[c].output, "%s: %s", command, read_output());
        check_nothing_remains();
    }
}

Test(process, a_missing_program_is_an_error)
{
    char name[] = "/no/such/program";
    char *const args[] = {name, NULL};
    struct pps_error err = {.text = ""};
    struct pps_process process;
    const struct pps_process_start start = {.args = args, .output = STDOUT_FILENO};
    cr_assert_eq(pps_process_start(&process, &start, &err), PPS_E_MACHINE);
    cr_assert_eq(errno, ENOENT);
    cr_assert_not_null(strstr(err.text, name), "%s", err.text);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1);
}

// Starts `command`, which prints "up", stops it and returns the seconds until its end.
static double stop_after_up(char *command, double grace_s, struct pps_process_end *end)
{
    struct pps_process process = start_shell(command, grace_s);
    wait_for_output("up\n");
    cr_assert_not(pps_process_ended(&process, end));
    const double start = pps_wall_seconds();
    pps_process_stop(&process);
    pps_process_stop(&process);
    pps_process_wait(&process, end);
    check_nothing_remains();
    return pps_wall_seconds() - start;
}

// Catches a grace period that is always waited for, and descendants that survive.
Test(process, programs_that_obey_end_at_once)
{
    char plain[] = "echo up; sleep 60";
    char far[] = "setsid sh -c 'setsid sleep 60 & sleep 60' & echo up; wait";
    char frozen[] = "(sleep 0.1; echo up) & kill -STOP $$";
    struct pps_process_end end;
    cr_expect_lt(stop_after_up(plain, 30, &end), 20);
    cr_expect_eq(end.signal, SIGTERM);
    cr_expect_lt(stop_after_up(far, 30, &end), 20);
    cr_expect_lt(stop_after_up(frozen, 30, &end), 20);
}

Test(process, programs_that_ignore_the_request_are_killed)
{
    char deaf[] = "trap '' TERM; echo up; while :; do sleep 1; done";
    struct pps_process_end end;
    cr_expect_lt(stop_after_up(deaf, 0.1, &end), 20);
    cr_expect_eq(end.signal, SIGKILL);
}

// Catches programs that survive the process that started them; SIGKILL leaves it no time.
Test(process, programs_end_with_the_process_that_started_them)
{
    char command[256], other[] = "sleep 60";
    close(open_output());
    snprintf(command, sizeof command, "setsid sleep 60 & echo $! >%s; wait", output);
    const pid_t child = fork();
    if (child == 0) {
        (void)start_shell(command, 5);
        unlink(output);
        (void)start_shell(other, 5); // its guard must not keep the link of the first one open
        unlink(output);
        pause();
        _exit(0);
    }
    int status, found = 0;
    while (strchr(read_output(), '\n') == NULL)
        usleep(10000);
    const pid_t program = (pid_t)atoi(read_output());
    cr_assert_eq(kill(program, 0), 0);
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, &status, 0), child);
    for (int i = 0; i < 500 && found == 0; i++) {
        usleep(10000);
        found = kill(program, 0);
    }
    cr_assert_eq(found, -1, "a program survived");
    unlink(output);
}
