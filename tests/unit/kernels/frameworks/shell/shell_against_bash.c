// SPDX-License-Identifier: Apache-2.0
// Random scripts: the reader finds the words that bash passes to a command.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/text_buffer.h"
#include "kernels/frameworks/shell/shell.h"
#include "tests/unit/support/rounds.h"

struct random {
    uint64_t state;
};

static int draw(struct random *r, int n)
{
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (int)((r->state >> 33) % (uint64_t)n);
}

static const char *pick(struct random *r, const char *const *words, int n)
{
    return words[draw(r, n)];
}

static void add_text(struct random *r, struct text_buffer *s)
{
    static const char *const texts[] = {
        "1",
        "24",
        "--a",
        "$X",
        "${Y}",
        "\"$Z\"",
        "'b c'",
        "\"$X $Y\"",
        "${X:-7}",
        "${U:-\"d  e\"}",
        "\\$X",
        "$((N * 2 + M))",
        "${A[@]}",
        "\"${A[@]}\"",
        "\"x${A[*]}y\"",
        "${A[1]}",
        "${#A[@]}",
        "$((N%3-M/2))",
        "${U:+f}",
        "${N:+g}",
        "\"${B[@]}\"",
        "a\\ b",
        "\"q\\\"r\\n\"",
        "${#X}",
        "x\\\n  y",
        "$(( (N+1)*M ))",
        "\"$((M<N))\"",
        "''",
        "\"\"",
        "p\"$X\"'q'",
    };
    text_buffer_add(s, "%s", pick(r, texts, (int)(sizeof texts / sizeof *texts)));
}

static void add_line(struct random *r, struct text_buffer *s)
{
    static const char *const names[] = {"X", "Y", "Z"};
    static const char *const tests[] = {"[ $N -gt $M ]",
                                        "[[ $N == 4 && -n \"$X\" ]]",
                                        "((N > M))",
                                        "[ -z \"$Y\" ]",
                                        "[ \"$X\" != \"$Y\" ]",
                                        "! [ $N -eq $M ]",
                                        "[[ $N -lt 3 || $M -ge 2 ]]"};
    const char *name = pick(r, names, 3);
    switch (draw(r, 8)) {
    case 0:
    case 1:
        text_buffer_add(s, "%s%s=", draw(r, 4) == 0 ? "export " : "", name);
        add_text(r, s);
        break;
    case 2:
        text_buffer_add(s, "%s+=", name);
        add_text(r, s);
        break;
    case 3:
    case 4:
        text_buffer_add(s, "%s%s=(", draw(r, 2) == 0 ? "A" : "B", draw(r, 2) == 0 ? "+" : "");
        for (int i = draw(r, 4); i >= 0; i--) {
            add_text(r, s);
            text_buffer_add(s, "%s", draw(r, 4) == 0 ? "\n  # note\n" : " ");
        }
        text_buffer_add(s, ")");
        break;
    case 5:
        text_buffer_add(s, "N=$((M + %d)); M=%d", draw(r, 5), draw(r, 9));
        break;
    case 6:
        text_buffer_add(s, "if %s; then\n", pick(r, tests, 7));
        add_line(r, s);
        text_buffer_add(s, "else\n");
        add_line(r, s);
        text_buffer_add(s, "fi");
        break;
    default:
        text_buffer_add(s, "case $N in 1|2) ");
        add_line(r, s);
        text_buffer_add(s, ";; [3-5]) Z=in;; *) %s ", draw(r, 2) == 0 ? "((M==2)) &&" : "");
        text_buffer_add(s, "Y=out;; esac");
        break;
    }
    text_buffer_add(s, "\n");
}

static void make_script(struct random *r, struct text_buffer *s)
{
    text_buffer_clear(s);
    text_buffer_add(s, "N=4\nM=2\nX=--x Y='5 6'\nZ=9\nA=(--a 1)\nB=()\n");
    for (int i = draw(r, 8); i >= 0; i--)
        add_line(r, s);
    text_buffer_add(s, "/usr/bin/printf '<%%s>'");
    for (int i = draw(r, 8); i >= 0; i--) {
        text_buffer_add(s, " ");
        add_text(r, s);
    }
    text_buffer_add(s, " $N $M $X $Y $Z\n");
}

static void ask_bash(const char *path, const struct text_buffer *script,
                     struct text_buffer *out)
{
    char command[200], bytes[4096];
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fwrite(script->text, 1, script->n, file);
    fclose(file);
    snprintf(command, sizeof command, "env -i bash -f %s 2>/dev/null", path);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, pipe)) > 0;)
        text_buffer_add_bytes(out, bytes, n);
    pclose(pipe);
}

Test(shell, agrees_with_bash)
{
    char path[] = "/tmp/shell_against_bash_XXXXXX";
    struct random r = {.state = 17};
    struct text_buffer text = {.text = NULL}, wanted = {.text = NULL}, got = {.text = NULL};
    const int file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
    for (int round = 0; round < n_cases(1000); round++) {
        struct shell_script script;
        struct pps_fault fault;
        make_script(&r, &text);
        text_buffer_clear(&wanted);
        text_buffer_clear(&got);
        ask_bash(path, &text, &wanted);
        cr_assert(shell_read(&script, text.text, text.n, &fault), "%s\n%d:%d: %s", text.text,
                  fault.line, fault.column, fault.text);
        cr_assert(script.n_commands >= 1, "%s", text.text);
        const struct shell_command *command = script.commands;
        while (strcmp(command->words[0].bytes, "/usr/bin/printf") != 0)
            command++;
        for (size_t i = 2; i < command->n; i++)
            text_buffer_add(&got, "<%s>", command->words[i].bytes);
        cr_assert_str_eq(got.text, wanted.text, "%s\nbash:   %s\nreader: %s", text.text,
                         wanted.text, got.text);
        shell_free(&script);
    }
    unlink(path);
    text_buffer_free(&text);
    text_buffer_free(&wanted);
    text_buffer_free(&got);
}
