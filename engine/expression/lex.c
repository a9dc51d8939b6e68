// SPDX-License-Identifier: Apache-2.0
// Splits the text of an expression into tokens.
#include "engine/expression/lex.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 63

bool pps_expr_fail(struct pps_expr_fault *fault, size_t byte, const char *format, ...)
{
    va_list args;
    fault->byte = byte;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    for (char *c = fault->text; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return false;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t digits(const char *s)
{
    size_t n = 0;
    while (isdigit((unsigned char)s[n]))
        n++;
    return n;
}

// Returns the length of the number at s, in bytes. A point belongs to the number only if a
// digit follows: 1..9 is a range.
static size_t number_length(const char *s)
{
    size_t n = digits(s), sign;
    if (s[n] == '.' && isdigit((unsigned char)s[n + 1]))
        n += 1 + digits(s + n + 1);
    if (s[n] == 'e' || s[n] == 'E') {
        sign = s[n + 1] == '+' || s[n + 1] == '-';
        if (isdigit((unsigned char)s[n + 1 + sign]))
            n += 1 + sign + digits(s + n + 1 + sign);
    }
    return n;
}

static bool number(const struct pps_lexer *lexer, struct pps_token *token)
{
    const char *s = lexer->text + token->at;
    char copy[LONGEST_NUMBER + 1];
    if (token->n > LONGEST_NUMBER)
        return pps_expr_fail(lexer->fault, token->at,
                             "a number of %zu digits; write at most %d", token->n,
                             LONGEST_NUMBER);
    memcpy(copy, s, token->n);
    copy[token->n] = '\0';
    token->kind = PPS_TOKEN_NUMBER;
    token->value = strtod(copy, NULL);
    if (!isfinite(token->value))
        return pps_expr_fail(lexer->fault, token->at, "%s is not a finite number", copy);
    if (digits(s) == token->n && token->value >= 0x1p53)
        return pps_expr_fail(lexer->fault, token->at, "%s is above 2^53 and would be rounded",
                             copy);
    if (s[token->n] == '.' && s[token->n + 1] != '.')
        return pps_expr_fail(lexer->fault, token->at,
                             "%s.: digits are missing after the point; write %s.0", copy, copy);
    return true;
}

// Reads a number, or a word that begins with a digit.
static bool number_or_word(const struct pps_lexer *lexer, struct pps_token *token)
{
    const char *s = lexer->text + token->at;
    token->n = number_length(s);
    if (!in_word(s[token->n]))
        return number(lexer, token);
    while (in_word(s[token->n]))
        token->n++;
    token->kind = PPS_TOKEN_WORD;
    return true;
}

static bool name(const struct pps_lexer *lexer, struct pps_token *token)
{
    static const struct {
        const char *word;
        enum pps_token_kind kind;
    } words[] = {
        {"and", PPS_TOKEN_AND},   {"or", PPS_TOKEN_OR},       {"not", PPS_TOKEN_NOT},
        {"true", PPS_TOKEN_TRUE}, {"false", PPS_TOKEN_FALSE}, {"step", PPS_TOKEN_STEP},
    };
    const char *s = lexer->text + token->at;
    while (in_word(s[token->n]))
        token->n++;
    token->kind = PPS_TOKEN_NAME;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == token->n && memcmp(s, words[i].word, token->n) == 0)
            token->kind = words[i].kind;
    return true;
}

static bool quoted(struct pps_lexer *lexer, struct pps_token *token)
{
    const char *s = lexer->text + token->at + 1;
    token->n = strcspn(s, "'");
    if (s[token->n] == '\0')
        return pps_expr_fail(lexer->fault, token->at,
                             "the quoted name that begins here is not closed; write '");
    token->kind = PPS_TOKEN_QUOTED;
    lexer->at += 2; // the quotes
    token->at++;
    return true;
}

// Reports an unknown sign and suggests what to write.
static bool unknown(const struct pps_lexer *lexer, size_t at)
{
    static const struct {
        const char *sign, *advice;
    } known[] = {
        {"=", "write == to compare"},
        {"&", "write && for and"},
        {"|", "write || for or"},
        {"\"", "write a quoted name in single quotes"},
        {"\xe2\x89\xa4", "write <="},
        {"\xe2\x89\xa5", "write >="},
        {"\xe2\x89\xa0", "write !="},
        {"\xe2\x88\x92", "a typographic minus; write -"},
        {"\xe2\x80\xa6", "write .. for a range"},
        {".", "a number begins with a digit, as in 0.5; a range is written 1 .. 9"},
    };
    const char *s = lexer->text + at;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(s, known[i].sign, strlen(known[i].sign)) == 0)
            return pps_expr_fail(lexer->fault, at, "%s", known[i].advice);
    if (isprint((unsigned char)*s))
        return pps_expr_fail(lexer->fault, at, "%c is not expected here", *s);
    return pps_expr_fail(lexer->fault, at, "byte 0x%02x is not expected here",
                         (unsigned)(unsigned char)*s);
}

static bool sign(const struct pps_lexer *lexer, struct pps_token *token)
{
    // Signs of two characters come first. A sign with advice is an error.
    static const struct {
        const char *sign;
        enum pps_token_kind kind;
        const char *advice;
    } signs[] = {
        {"**", PPS_TOKEN_END, "write ^ for a power"},
        {"//", PPS_TOKEN_END, "write floor(a / b) for a whole quotient"},
        {"<>", PPS_TOKEN_END, "write !="},
        {"=<", PPS_TOKEN_END, "write <="},
        {"=>", PPS_TOKEN_END, "write >="},
        {"||", PPS_TOKEN_OR, ""},
        {"&&", PPS_TOKEN_AND, ""},
        {"<=", PPS_TOKEN_LESS_EQUAL, ""},
        {">=", PPS_TOKEN_GREATER_EQUAL, ""},
        {"==", PPS_TOKEN_EQUAL, ""},
        {"!=", PPS_TOKEN_UNEQUAL, ""},
        {"..", PPS_TOKEN_DOTS, ""},
        {"!", PPS_TOKEN_NOT, ""},
        {"<", PPS_TOKEN_LESS, ""},
        {">", PPS_TOKEN_GREATER, ""},
        {"+", PPS_TOKEN_PLUS, ""},
        {"-", PPS_TOKEN_MINUS, ""},
        {"*", PPS_TOKEN_TIMES, ""},
        {"/", PPS_TOKEN_DIVIDE, ""},
        {"%", PPS_TOKEN_MODULO, ""},
        {"^", PPS_TOKEN_POWER, ""},
        {"(", PPS_TOKEN_OPEN, ""},
        {")", PPS_TOKEN_CLOSE, ""},
        {",", PPS_TOKEN_COMMA, ""},
    };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t n = strlen(signs[i].sign);
        if (strncmp(lexer->text + token->at, signs[i].sign, n) != 0)
            continue;
        if (signs[i].advice[0] != '\0')
            return pps_expr_fail(lexer->fault, token->at, "%s", signs[i].advice);
        token->kind = signs[i].kind;
        token->n = n;
        return true;
    }
    return unknown(lexer, token->at);
}

bool pps_expr_next(struct pps_lexer *lexer, struct pps_token *token)
{
    char c;
    bool ok;
    lexer->at += strspn(lexer->text + lexer->at, " \t\r\n");
    *token = (struct pps_token){PPS_TOKEN_END, lexer->at, 0, 0};
    c = lexer->text[lexer->at];
    if (c == '\0')
        return true;
    if (isdigit((unsigned char)c))
        ok = number_or_word(lexer, token);
    else if (isalpha((unsigned char)c) || c == '_')
        ok = name(lexer, token);
    else if (c == '\'')
        ok = quoted(lexer, token);
    else
        ok = sign(lexer, token);
    lexer->at += token->n;
    return ok;
}
