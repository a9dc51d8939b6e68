// SPDX-License-Identifier: Apache-2.0
// Recognises lines of logs.
#include "planner/profiles/log_line.h"

#include "base/text/number.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// A part of a line.
struct piece {
    const char *text;
    size_t n;
};

// ---- search -------------------------------------------------------------------------------------

// Returns what follows the first `key` in the piece; text NULL: the key is not there.
static struct piece behind(struct piece in, const char *key)
{
    const size_t n = strlen(key);
    const char *at = in.text != NULL ? memmem(in.text, in.n, key, n) : NULL;
    if (at == NULL)
        return (struct piece){NULL, 0};
    return (struct piece){at + n, in.n - (size_t)(at + n - in.text)};
}

static bool has(struct piece in, const char *key)
{
    return behind(in, key).text != NULL;
}

static bool has_any_case(struct piece in, const char *key)
{
    const size_t n = strlen(key);
    const int first = tolower((unsigned char)key[0]);
    for (size_t i = 0; i + n <= in.n; i++) // most characters differ from the first
        if ((in.text[i] | 0x20) == first && strncasecmp(in.text + i, key, n) == 0)
            return true;
    return false;
}

// Reads the number at the start of the piece, after blanks. Returns 0 without one.
static double number_of(struct piece in, struct piece *rest)
{
    double value = 0;
    size_t from = 0, to;
    while (from < in.n && (in.text[from] == ' ' || in.text[from] == '\t'))
        from++;
    for (to = from; to < in.n && (isdigit((unsigned char)in.text[to]) || in.text[to] == '.');)
        to++;
    if (!number_text_read(in.text + from, to - from, &value))
        value = 0;
    *rest = (struct piece){in.text + to, in.n - to};
    return value < 1e12 ? value : 0;
}

static double number_behind(struct piece in, const char *key)
{
    struct piece rest = behind(in, key);
    return rest.text == NULL ? 0 : number_of(rest, &rest);
}

// ---- prefixes -----------------------------------------------------------------------------------

static bool is_word_start(struct piece in, const char *word)
{
    const size_t n = strlen(word);
    return in.n >= n && strncasecmp(in.text, word, n) == 0;
}

// Reads "[Rank 3]", "[rank3]" or "[default3]" at the start of the piece. Returns its length, or 0.
static size_t bracket_of(struct piece in, int32_t *number)
{
    size_t at = is_word_start(in, "[rank") ? 5 : is_word_start(in, "[default") ? 8 : 0;
    if (at == 0)
        return 0;
    at += at < in.n && in.text[at] == ' ';
    const size_t from = at;
    int64_t value = 0;
    for (; at < in.n && isdigit((unsigned char)in.text[at]) && at < from + 9; at++)
        value = value * 10 + (in.text[at] - '0');
    if (at == from || at >= in.n || in.text[at] != ']')
        return 0;
    *number = (int32_t)value;
    return at + 1;
}

// Reads "3: ", the label of srun --label. Returns its length, or 0.
static size_t label_of(struct piece in, int32_t *number)
{
    size_t at = 0;
    int64_t value = 0;
    for (; at < in.n && at < 7 && isdigit((unsigned char)in.text[at]); at++)
        value = value * 10 + (in.text[at] - '0');
    if (at == 0 || at + 1 >= in.n || in.text[at] != ':' || in.text[at + 1] != ' ')
        return 0;
    *number = (int32_t)value;
    return at + 2;
}

size_t log_line_prefix(const char *text, size_t n)
{
    const struct piece in = {text, n};
    int32_t number;
    size_t at = label_of(in, &number);
    const size_t bracket = bracket_of((struct piece){text + at, n - at}, &number);
    at += bracket;
    if (bracket > 0 && at < n && text[at] == ':')
        at++;
    if (bracket > 0 && at < n && text[at] == ' ')
        at++; // one blank; more blanks are the indentation of the line
    return at;
}

// Returns the rank that the line names: "[Rank 3]" anywhere, else the label at its start. The local
// rank in "[default3]" is not the rank of a run with several machines, so it does not count.
static int32_t rank_of(struct piece in)
{
    int32_t rank = -1, label = -1;
    const bool is_labelled = label_of(in, &label) > 0;
    for (size_t i = 0; i + 6 < in.n; i++)
        if (in.text[i] == '[' && tolower((unsigned char)in.text[i + 1]) == 'r')
            bracket_of((struct piece){in.text + i, in.n - i}, &rank);
    return rank >= 0 ? rank : is_labelled ? label : -1;
}

// ---- peaks --------------------------------------------------------------------------------------

static bool read_mindspore(struct piece in, struct log_line *line)
{
    line->used_mb = number_behind(in, "Used peak memory usage (without fragments):");
    line->held_mb = number_behind(in, "Actual peak memory usage (with fragments):");
    return line->used_mb > 0 || line->held_mb > 0;
}

// Megatron's MB are MiB; Megatron-Bridge's GB are 10^9 bytes.
static bool read_megatron(struct piece in, struct log_line *line)
{
    static const double gigabyte = 1e9 / 1048576;
    const struct piece report = behind(in, " memory (");
    line->used_mb = number_behind(report, "| max allocated:");
    line->held_mb = number_behind(report, "| max reserved:");
    if (report.text != NULL && line->used_mb == 0) {
        line->used_mb = gigabyte * number_behind(report, "mem-max-allocated-gigabytes:");
        line->held_mb = gigabyte * number_behind(report, "mem-max-reserved-gigabytes:");
    }
    line->is_running = true;
    return line->used_mb > 0;
}

// Reads "41.23GiB(52.11%)".
static bool read_torchtitan(struct piece in, struct log_line *line)
{
    for (struct piece at = behind(in, "memory:"); at.text != NULL; at = behind(at, "memory:")) {
        struct piece rest;
        const double gib = number_of(at, &rest);
        if (gib <= 0 || !is_word_start(rest, "GiB("))
            continue;
        line->held_mb = gib * 1024;
        line->is_running = true;
        return true;
    }
    return false;
}

static bool read_estimate(struct piece in, struct log_line *line)
{
    struct piece rest = behind(in, "Tracker Max:");
    if (rest.text == NULL)
        rest = behind(in, "peak active:");
    if (rest.text == NULL)
        return false;
    const double value = number_of(rest, &rest);
    if (value <= 0 || (!is_word_start(rest, " GiB") && !is_word_start(rest, " GB")))
        return false;
    line->used_mb = value * 1024;
    line->held_mb = 1024 * number_behind(in, "peak reserved:");
    return true;
}

static bool read_theory(struct piece in, struct log_line *line)
{
    const struct piece all = behind(in, "Theoretical memory footprints:");
    struct piece rest = behind(all, "total=");
    if (rest.text == NULL)
        return false; // without the activations the figure is not a peak
    const double value = number_of(rest, &rest);
    line->used_mb = is_word_start(rest, " GB") ? value * 1024 : value;
    return line->used_mb > 0;
}

// ---- steps --------------------------------------------------------------------------------------

// Reads "7,312".
static double number_with_commas(struct piece in)
{
    char text[32];
    size_t n = 0, at = 0;
    while (at < in.n && in.text[at] == ' ')
        at++;
    for (; at < in.n && n < sizeof text; at++)
        if (isdigit((unsigned char)in.text[at]) || in.text[at] == '.')
            text[n++] = in.text[at];
        else if (in.text[at] != ',')
            break;
    struct piece rest;
    return number_of((struct piece){text, n}, &rest);
}

static void read_step(struct piece in, struct log_line *line)
{
    line->step_seconds = number_behind(in, "elapsed time per iteration (ms):") / 1000;
    if (line->step_seconds == 0)
        line->step_seconds = number_behind(in, "per_step_time:") / 1000;
    if (line->step_seconds == 0)
        line->step_seconds = number_behind(in, "iter time (s):");
    const struct piece rate = behind(in, " tps:");
    if (rate.text != NULL)
        line->device_tokens = number_with_commas(rate);
    line->is_running |= line->step_seconds > 0;
}

// ---- failures -----------------------------------------------------------------------------------

// PyTorch's CUDA and NPU allocators, MindSpore's, the host's allocator, Linux and Slurm. MindSpore's
// "Memory not enough" alone is a warning after which the run may continue.
static bool is_out_of_memory(struct piece in)
{
    static const char *const texts[] = {
        "OutOfMemoryError",
        "CUDA out of memory",
        "NPU out of memory",
        "HIP out of memory",
        "XPU out of memory",
        "error: out of memory",
        "memory isn't enough and alloc failed",
        "out of memory!!!",
        "can't allocate memory: you tried to allocate",
        "Out of memory: Killed process",
        "oom_kill event",
        "oom-kill event",
    };
    static const char *const words[] = {"of memory",    "OfMemory",        "oom",
                                        "alloc failed", "allocate memory", "Of memory",
                                        "OF MEMORY"};
    bool is_possible = false;
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        is_possible = is_possible || has(in, words[k]);
    if (!is_possible)
        return false;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        if (has_any_case(in, texts[k]))
            return true;
    return false;
}

// ---- lines --------------------------------------------------------------------------------------

static bool read_peak(struct piece in, struct log_line *line)
{
    static bool (*const forms[])(struct piece, struct log_line *) = {
        read_mindspore, read_megatron, read_torchtitan, read_estimate};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        *line = (struct log_line){.kind = LOG_LINE_PEAK};
        if (forms[k](in, line))
            return true;
    }
    return false;
}

void log_line_read(const char *text, size_t n, struct log_line *line)
{
    const struct piece in = {text, n};
    *line = (struct log_line){.rank = -1};
    // Nearly all lines of a log hold none of these.
    const bool step = has(in, "time") || has(in, " tps:");
    if (!step && !has(in, "emory") && !has(in, "Traceback (") && !has(in, "oom") &&
        !has(in, "Tracker M") && !has(in, "peak active"))
        return;
    if (!read_peak(in, line)) {
        *line = (struct log_line){0};
        if (read_theory(in, line))
            line->kind = LOG_LINE_THEORY;
        else if (is_out_of_memory(in))
            line->kind = LOG_LINE_NO_MEMORY;
        else if (has(in, "Traceback (most recent call last)"))
            line->kind = LOG_LINE_TRACEBACK;
    }
    line->rank = rank_of(in);
    if (step)
        read_step(in, line);
}

// Returns the length of the escape sequence at the start of the text, or 0.
static size_t escape_of(const char *text, size_t n)
{
    if (n < 2 || text[0] != '\033')
        return 0;
    size_t at = 2;
    if (text[1] == '[')
        while (at < n && !isalpha((unsigned char)text[at]))
            at++;
    return text[1] == '[' && at < n ? at + 1 : at < n ? at : n;
}

// Returns whether the text has a control character other than a tab.
static bool has_control(const char *text, size_t n)
{
    unsigned found = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];
        found |= (c < 0x20 && c != '\t') || c == 0x7f;
    }
    return found != 0;
}

size_t log_line_clean(char *text, size_t n)
{
    size_t to = 0;
    if (!has_control(text, n))
        return n;
    for (size_t at = 0; at < n;) {
        const size_t escape = escape_of(text + at, n - at);
        if (escape > 0) {
            at += escape;
            continue;
        }
        if (!iscntrl((unsigned char)text[at]) || text[at] == '\t')
            text[to++] = text[at];
        at++;
    }
    return to;
}
