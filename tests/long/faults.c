// SPDX-License-Identifier: Apache-2.0
// Preloaded library: makes the k-th system call that changes files fail, or kill the process. A filter of
// seccomp sends these calls to a signal handler, so calls within the C library are found, too (except close),
// and those of programs that the process starts. It counts the calls on files in the folder PPS_FAULT_PATH:
//   creating open, write, pwrite64, writev, ftruncate, close (of what is written), fsync, fdatasync (of folders,
//   too), rename, link, symlink, mkdir, unlink
//   PPS_FAULT_AT     k, from 1; 0: none
//   PPS_FAULT_HOW    fail (ENOSPC or EIO), short (a write of half the bytes, then ENOSPC), full (this and all
//                    later calls that need space fail), or kill. fail and short spare the programs that the
//                    process starts: gnuplot goes on after a failed write, and nobody could tell
//   PPS_FAULT_COUNT  a file of 8 bytes, the counter of all processes
//   PPS_FAULT_LOG    a file that gets the calls and their paths, one per line
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define PASS                                                                                   \
    0x70707366 // as the sixth argument, which none of these calls has: the call is ours

#ifdef __x86_64__
#define ARGUMENT(c, i)                                                                         \
    ((c)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8}[i]])
#define OUTCOME(c)   ((c)->uc_mcontext.gregs[REG_RAX])
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARGUMENT(c, i) ((c)->uc_mcontext.regs[i])
#define OUTCOME(c)     ((c)->uc_mcontext.regs[0])
#define ARCHITECTURE   AUDIT_ARCH_AARCH64
#endif

enum subject { FD, FOLDER_TOO, PATH, PATH_2, CREATED };

// The calls, where their files are named, and the error that they give.
static const struct call {
    const char *name;
    int number;
    enum subject subject;
    int at;    // which argument names the file
    int error; // 0: the call cannot fail, but the process can die in it
} calls[] = {
    {"write", SYS_write, FD, 0, ENOSPC},
    {"pwrite", SYS_pwrite64, FD, 0, ENOSPC},
    {"writev", SYS_writev, FD, 0, ENOSPC},
    {"ftruncate", SYS_ftruncate, FD, 0, EIO},
    {"fsync", SYS_fsync, FOLDER_TOO, 0, EIO},
    {"fdatasync", SYS_fdatasync, FOLDER_TOO, 0, EIO},
    {"open", SYS_openat, CREATED, 1, ENOSPC},
    {"rename", SYS_renameat2, PATH_2, 1, ENOSPC},
    {"rename", SYS_renameat, PATH_2, 1, ENOSPC},
    {"link", SYS_linkat, PATH_2, 1, ENOSPC},
    {"symlink", SYS_symlinkat, PATH, 2, ENOSPC},
    {"mkdir", SYS_mkdirat, PATH, 1, ENOSPC},
    {"unlink", SYS_unlinkat, PATH, 1, 0},
#ifdef SYS_open // arm64 has only the calls above
    {"open", SYS_open, CREATED, 0, ENOSPC},
    {"rename", SYS_rename, PATH_2, 0, ENOSPC},
    {"link", SYS_link, PATH_2, 0, ENOSPC},
    {"symlink", SYS_symlink, PATH, 1, ENOSPC},
    {"mkdir", SYS_mkdir, PATH, 0, ENOSPC},
    {"unlink", SYS_unlink, PATH, 0, 0},
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

static const char *folder, *how, *log_path;
static int at;
static atomic_long *counter;
static volatile sig_atomic_t trapped; // a call has come to the handler
static bool is_child;                 // started by the process

static long pass(long number, const long a[5])
{
    const long rc = syscall(number, a[0], a[1], a[2], a[3], a[4], (long)PASS);
    return rc < 0 ? -errno : rc;
}

// ---- which file -----------------------------------------------------------------------------------

static void absolute(const char *path, char out[4096])
{
    char here[2048] = "";
    if (path[0] != '/' && getcwd(here, sizeof here) == NULL)
        here[0] = '\0';
    snprintf(out, 4096, "%s%s%.2000s", here, path[0] != '/' ? "/" : "", path);
}

static bool is_ours(const char *path)
{
    const size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool is_our_descriptor(int fd, bool folders, char path[4096])
{
    char link[64];
    struct stat info;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, 4095);
    if (n < 0 || fd <= 2)
        return false;
    path[n] = '\0';
    if (!is_ours(path) || fstat(fd, &info) != 0)
        return false;
    if (S_ISDIR(info.st_mode))
        return folders;
    return S_ISREG(info.st_mode) &&
           (folders || (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY); // a sync needs no writing
}

static bool is_our_call(const struct call *call, const long a[5], char path[4096])
{
    const int second = call->number == SYS_renameat2 || call->number == SYS_renameat ||
                               call->number == SYS_linkat
                           ? 3
                           : 1;
    if (call->subject == FD || call->subject == FOLDER_TOO)
        return is_our_descriptor((int)a[0], call->subject == FOLDER_TOO, path);
    absolute((const char *)a[call->at], path);
    if (call->subject == CREATED)
        return (a[call->at + 1] & O_CREAT) != 0 && is_ours(path);
    if (call->subject == PATH_2 && !is_ours(path))
        absolute((const char *)a[second], path);
    return is_ours(path);
}

// ---- what happens ---------------------------------------------------------------------------------

static void write_log(const struct call *call, const char *path)
{
    char line[4200];
    if (log_path == NULL)
        return;
    const long open_it[5] = {AT_FDCWD, (long)log_path, O_WRONLY | O_CREAT | O_APPEND, 0666};
    const int n = snprintf(line, sizeof line, "%s %s\n", call->name, path);
    const long fd = pass(SYS_openat, open_it);
    const long write_it[5] = {fd, (long)line, n}, close_it[5] = {fd};
    pass(SYS_write, write_it);
    pass(SYS_close, close_it);
}

static bool is_how(const char *word)
{
    return how != NULL && strcmp(how, word) == 0;
}

// Whether this call fails.
static bool strikes(const struct call *call)
{
    const long k = atomic_fetch_add(counter, 1) + 1;
    if (at == 0 || k < at || (k > at && !is_how("full")) ||
        (is_child && !is_how("full") && !is_how("kill")))
        return false;
    if (is_how("kill"))
        kill(getpid(), SIGKILL);
    return is_how("full") ? call->error == ENOSPC && strcmp(call->name, "rename") != 0
                          : call->error != 0;
}

static long fail(const struct call *call, const long a[5])
{
    const long half[5] = {a[0], a[1], a[2] / 2, a[3]};
    if (is_how("short") && (call->number == SYS_write || call->number == SYS_pwrite64))
        pass(call->number, half);
    if (call->number == SYS_close)
        pass(call->number, a);
    return -call->error;
}

static void on_call(int number, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    const int kept = errno;
    long a[5];
    char path[4096];
    (void)number;
    trapped = 1;
    for (int i = 0; i < 5; i++)
        a[i] = (long)ARGUMENT(c, i);
    const struct call *call = calls;
    while (call < calls + CALLS && call->number != info->si_syscall)
        call++;
    bool strike = false;
    if (call < calls + CALLS && is_our_call(call, a, path)) {
        write_log(call, path);
        strike = strikes(call);
    }
    OUTCOME(c) = strike ? fail(call, a) : pass(info->si_syscall, a);
    errno = kept;
}

// ---- the filter -----------------------------------------------------------------------------------

static struct sock_filter load(size_t offset)
{
    return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static struct sock_filter jump(uint16_t test, uint32_t value, size_t yes, size_t no)
{
    return (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | BPF_K | test), value, (uint8_t)yes,
                                        (uint8_t)no);
}

static struct sock_filter answer(uint32_t what)
{
    return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what);
}

// Four instructions for every call, and two: the call is allowed unless it is a call of the table, creates
// if it opens, and has not come from the handler. The loader opens and closes files before there is a handler.
static void install_filter(void)
{
    struct sock_filter code[6 * CALLS + 4];
    unsigned short n = 0;
    code[n++] = load(offsetof(struct seccomp_data, arch));
    code[n++] = jump(BPF_JEQ, ARCHITECTURE, 0, 6 * CALLS + 1);
    code[n++] = load(offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; i++) {
        const bool opens = calls[i].subject == CREATED;
        const size_t flags =
            offsetof(struct seccomp_data, args) + 8 * (size_t)(calls[i].at + 1);
        code[n++] = jump(BPF_JEQ, (uint32_t)calls[i].number, 0, 5);
        code[n++] = load(opens ? flags : offsetof(struct seccomp_data, nr));
        code[n++] =
            jump(opens ? BPF_JSET : BPF_JEQ, opens ? O_CREAT : (uint32_t)calls[i].number, 0,
                 6 * (size_t)(CALLS - i) - 3);
        code[n++] = load(offsetof(struct seccomp_data, args[5]));
        code[n++] = jump(BPF_JEQ, PASS, 6 * (size_t)(CALLS - i) - 5, 0);
        code[n++] = answer(SECCOMP_RET_TRAP);
    }
    code[n++] = answer(SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {n, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

// A close has an interposed function instead, as the loader closes files, too.
int close(int fd)
{
    static const struct call call = {"close", SYS_close, FD, 0, EIO};
    const long a[5] = {fd};
    char path[4096];
    const bool strike = counter != NULL && is_our_descriptor(fd, false, path) &&
                        (write_log(&call, path), strikes(&call));
    const long rc = strike ? fail(&call, a) : pass(SYS_close, a);
    errno = rc < 0 ? (int)-rc : errno;
    return rc < 0 ? -1 : 0;
}

// A program that was started under the filter has it already: a second one would send the passed calls to the
// handler again.
__attribute__((constructor)) static void begin(void)
{
    const struct sigaction action = {.sa_sigaction = on_call,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    const char *count = getenv("PPS_FAULT_COUNT"), *k = getenv("PPS_FAULT_AT");
    folder = getenv("PPS_FAULT_PATH");
    how = getenv("PPS_FAULT_HOW");
    log_path = getenv("PPS_FAULT_LOG");
    at = k != NULL ? atoi(k) : 0;
    if (folder == NULL || count == NULL)
        return;
    const int fd = open(count, O_RDWR | O_CLOEXEC);
    counter = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || counter == MAP_FAILED)
        _exit(77);
    close(fd);
    sigaction(SIGSYS, &action, NULL);
    syscall(SYS_fsync, -1L, 0L, 0L, 0L, 0L, 0L);
    is_child = getenv("PPS_FAULT_CHILD") != NULL;
    setenv("PPS_FAULT_CHILD", "1", 1);
    if (!trapped)
        install_filter();
}
