// SPDX-License-Identifier: Apache-2.0
// Reads words of a script: blanks, quotes, and the splitting of expansions.
#include "kernels/frameworks/shell/shell_private.h"

#include <string.h>

static bool is_newline(const struct shell *sh, size_t at)
{
    return sh->text[at] == '\n' || (sh->text[at] == '\r' && sh->text[at + 1] == '\n');
}

// Returns the length of a backslash with the end of a line behind it; 0: another text.
static size_t continuation(const struct shell *sh, size_t at)
{
    if (sh->text[at] != '\\' || !is_newline(sh, at + 1))
        return 0;
    return sh->text[at + 1] == '\r' ? 3 : 2;
}

void shell_blanks(struct shell *sh)
{
    for (;;) {
        const char c = sh->text[sh->at];
        const size_t n = continuation(sh, sh->at);
        if (n == 0 && c != ' ' && c != '\t' && c != '\r')
            return;
        sh->at += n > 0 ? n : 1;
    }
}

void shell_gap(struct shell *sh)
{
    for (;;) {
        shell_blanks(sh);
        if (sh->text[sh->at] == '#')
            sh->at += strcspn(sh->text + sh->at, "\n");
        if (sh->text[sh->at] != '\n')
            return;
        sh->at++;
    }
}

size_t shell_name(const struct shell *sh, size_t at)
{
    size_t n = 0;
    while (shell_is_name(sh->text[at + n], n == 0))
        n++;
    return n;
}

// ---- closing brackets ------------------------------------------------------------------------

static size_t after_quote(const char *text, size_t at)
{
    const char quote = text[at++];
    while (text[at] != '\0' && text[at] != quote)
        at += text[at] == '\\' && quote != '\'' && text[at + 1] != '\0' ? 2 : 1;
    return text[at] == '\0' ? 0 : at + 1;
}

size_t shell_closing(struct shell *sh, char open, char close)
{
    int depth = 1;
    for (size_t at = sh->at; sh->text[at] != '\0';) {
        const char c = sh->text[at];
        if (c == '\\' && sh->text[at + 1] != '\0') {
            at += 2;
            continue;
        }
        if (c == '\'' || c == '"' || c == '`') {
            at = after_quote(sh->text, at);
            if (at == 0)
                break;
            continue;
        }
        if (c == close && --depth == 0)
            return at;
        depth += c == open && c != close;
        at++;
    }
    shell_fail(sh, sh->at - 1, "expected %c to close this", close);
    return 0;
}

// ---- the word that is read -------------------------------------------------------------------

struct sink {
    struct shell_text word;
    bool started;
    struct shell_words *words; // NULL: texts are joined with blanks, not split
    bool keeps;                // remembers which bytes are quoted
    bool quoted;               // the bytes that follow are
};

static void forget_quotes(struct shell_text *text)
{
    for (size_t i = 0; i < text->n; i++)
        text->marks[i].kept = false;
}

static void finish(struct shell *sh, struct sink *sink)
{
    if (sink->started && sink->words != NULL) {
        forget_quotes(&sink->word);
        shell_words_add(sh, sink->words, &sink->word);
        sink->word = (struct shell_text){.from = sink->word.from, .to = sink->word.to};
        sink->started = false;
    }
}

static void put(struct shell *sh, struct sink *sink, char byte, size_t at)
{
    shell_text_byte(sh, &sink->word, byte,
                    (struct shell_mark){(int32_t)at, -1, -1, -1, sink->keeps && sink->quoted});
    sink->started = true;
}

// Without quotes, blanks in the text of an expansion separate words.
static void add_split(struct shell *sh, struct sink *sink, const struct shell_text *text)
{
    for (size_t i = 0; i < text->n; i++)
        if (!text->marks[i].kept && strchr(" \t\n\r", text->bytes[i]) != NULL) {
            finish(sh, sink);
        } else {
            shell_text_byte(sh, &sink->word, text->bytes[i], text->marks[i]);
            sink->started = true;
        }
}

void shell_split(struct shell *sh, const struct shell_text *text, struct shell_words *words)
{
    struct sink sink = {.word = {.from = SHELL_NOWHERE, .to = SHELL_NOWHERE}, .words = words};
    add_split(sh, &sink, text);
    finish(sh, &sink);
}

static void add_parts(struct shell *sh, struct sink *sink, const struct shell_words *parts,
                      bool quoted)
{
    for (size_t i = 0; i < parts->n; i++) {
        if (i > 0 && sink->words == NULL)
            put(sh, sink, ' ', sh->at - 1);
        else if (i > 0)
            finish(sh, sink);
        if (quoted || sink->words == NULL) {
            const size_t first = sink->word.n;
            shell_text_add(sh, &sink->word, &parts->items[i]);
            for (size_t k = first; sink->keeps && sink->quoted && k < sink->word.n; k++)
                sink->word.marks[k].kept = true;
            sink->started = true;
        } else {
            add_split(sh, sink, &parts->items[i]);
        }
    }
}

// Reads an expansion, or a $ that starts none.
static void expand(struct shell *sh, struct sink *sink, bool quoted)
{
    const size_t at = sh->at;
    struct shell_words parts = {.items = NULL};
    if (++sh->depth > SHELL_DEEPEST)
        shell_fail(sh, at, "expansions nested deeper than %d", SHELL_DEEPEST);
    else
        shell_expansion(sh, quoted, &parts);
    sh->depth--;
    if (sh->at == at)
        put(sh, sink, sh->text[sh->at++], at);
    else
        add_parts(sh, sink, &parts, quoted);
}

// ---- quotes ----------------------------------------------------------------------------------

static void single_quotes(struct shell *sh, struct sink *sink)
{
    const size_t at = sh->at++;
    sink->started = sink->quoted = true;
    while (sh->text[sh->at] != '\'' && sh->text[sh->at] != '\0') {
        if (sh->text[sh->at] != '\r' || !is_newline(sh, sh->at))
            put(sh, sink, sh->text[sh->at], sh->at);
        sh->at++;
    }
    if (sh->text[sh->at] == '\0')
        shell_fail(sh, at, "this quote does not end");
    sink->quoted = false;
    sh->at++;
}

// Reads one byte, escape or expansion of text in double quotes.
static void quoted_byte(struct shell *sh, struct sink *sink)
{
    const char c = sh->text[sh->at], next = sh->text[sh->at + 1];
    const size_t n = continuation(sh, sh->at);
    if (n > 0) {
        sh->at += n;
    } else if (c == '\\' && next != '\0' && strchr("$`\"\\", next) != NULL) {
        put(sh, sink, next, sh->at + 1);
        sh->at += 2;
    } else if (c == '$' || c == '`') {
        expand(sh, sink, true);
    } else {
        if (c != '\r' || !is_newline(sh, sh->at))
            put(sh, sink, c, sh->at);
        sh->at++;
    }
}

static void double_quotes(struct shell *sh, struct sink *sink)
{
    const size_t at = sh->at++;
    sink->started = sink->started || sh->text[sh->at] == '"';
    sink->quoted = true;
    while (sh->text[sh->at] != '"' && sh->text[sh->at] != '\0' && !sh->failed)
        quoted_byte(sh, sink);
    sink->quoted = false;
    if (sh->text[sh->at] == '\0')
        shell_fail(sh, at, "this quote does not end");
    sh->at++;
}

void shell_quoted(struct shell *sh, size_t end, struct shell_text *text)
{
    struct sink sink = {.word = *text};
    while (sh->at < end && !sh->failed)
        quoted_byte(sh, &sink);
    *text = sink.word;
}

// $'...': its escapes are not evaluated.
static void escaped_quotes(struct shell *sh, struct sink *sink)
{
    const size_t at = sh->at;
    sh->at += 2;
    while (sh->text[sh->at] != '\'' && sh->text[sh->at] != '\0')
        sh->at += sh->text[sh->at] == '\\' && sh->text[sh->at + 1] != '\0' ? 2 : 1;
    if (sh->text[sh->at] == '\0')
        shell_fail(sh, at, "this quote does not end");
    sh->at++;
    sink->started = true;
    shell_text_unknown(
        sh, &sink->word,
        shell_reason(sh, at, "comes from $'...', which only a shell can evaluate"));
}

// ---- words -----------------------------------------------------------------------------------

// Parentheses inside a word, as in --moe-layer-freq ([0]*3+[1]*58): text up to the closing one.
static void parentheses(struct shell *sh, struct sink *sink)
{
    int depth = 0;
    do {
        depth += (sh->text[sh->at] == '(') - (sh->text[sh->at] == ')');
        if (sh->text[sh->at] == '\0' || sh->text[sh->at] == '\n') {
            shell_fail(sh, sh->at, "expected ) in this line");
            return;
        }
        put(sh, sink, sh->text[sh->at], sh->at);
        sh->at++;
    } while (depth > 0);
}

static bool ends_word(const struct shell *sh)
{
    const char c = sh->text[sh->at];
    if (c == '\0' || strchr(" \t\n", c) != NULL || is_newline(sh, sh->at))
        return true;
    return !sh->bare && strchr(";&|<>)", c) != NULL;
}

// Reads one piece of a word: a quote, an escape, an expansion or a byte.
static void piece(struct shell *sh, struct sink *sink)
{
    const char c = sh->text[sh->at], next = sh->text[sh->at + 1];
    const size_t n = continuation(sh, sh->at);
    if (n > 0) {
        sh->at += n;
    } else if (c == '\\' && next != '\0') {
        put(sh, sink, next, sh->at + 1);
        sh->at += 2;
    } else if (c == '\'') {
        single_quotes(sh, sink);
    } else if (c == '"' || (c == '$' && next == '"')) {
        sh->at += c == '$';
        double_quotes(sh, sink);
    } else if (c == '$' && next == '\'') {
        escaped_quotes(sh, sink);
    } else if (c == '$' || c == '`') {
        expand(sh, sink, false);
    } else if (c == '(' && !sh->bare) {
        parentheses(sh, sink);
    } else {
        put(sh, sink, c, sh->at++);
    }
}

bool shell_word(struct shell *sh, struct shell_words *words)
{
    const size_t from = sh->at, first = words->n;
    struct sink sink = {.word = {.from = (int32_t)from}, .words = words};
    while (!ends_word(sh) && !sh->failed)
        piece(sh, &sink);
    finish(sh, &sink);
    for (size_t i = first; i < words->n; i++)
        words->items[i].to = (int32_t)sh->at;
    return sh->at > from && !sh->failed;
}

void shell_joined_word(struct shell *sh, struct shell_text *text)
{
    struct sink sink = {.word = *text};
    sink.word.from = (int32_t)sh->at;
    while (!ends_word(sh) && !sh->failed)
        piece(sh, &sink);
    forget_quotes(&sink.word);
    *text = sink.word;
    text->to = (int32_t)sh->at;
}

void shell_text_until(struct shell *sh, char stop, struct shell_text *text)
{
    struct sink sink = {.word = *text, .keeps = true};
    while (sh->text[sh->at] != stop && sh->text[sh->at] != '\0' && !sh->failed) {
        if (sh->text[sh->at] == '(')
            put(sh, &sink, '(', sh->at++);
        else
            piece(sh, &sink);
    }
    if (sh->text[sh->at] != stop)
        shell_fail(sh, sh->at, "expected %c", stop);
    else
        sh->at++;
    *text = sink.word;
}
