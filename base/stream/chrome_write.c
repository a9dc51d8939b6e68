// SPDX-License-Identifier: Apache-2.0
// Writes traces in the Chrome trace format.
#include "base/stream/chrome_write.h"

#include "base/text/decimal.h"

#include <float.h>
#include <math.h>

static void put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    fwrite(text, 1, pps_decimal_full(text, value), out);
}

// Returns a time in thousandths of a microsecond, rounded.
static double thousandths(const struct pps_chrome_writer *w, double time)
{
    return nearbyint(time * w->scale * 1000);
}

// Writes thousandths as a decimal number without zeros at the end.
static void put_thousandths(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    if (fabs(value) >= 1e15) { // no decimals are left
        put_number(out, fmin(fmax(value / 1000, -DBL_MAX), DBL_MAX));
        return;
    }
    size_t n = pps_decimal_fixed(text, value / 1000, 3);
    while (text[n - 1] == '0')
        n--;
    fwrite(text, 1, text[n - 1] == '.' ? n - 1 : n, out);
}

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

static FILE *begin(struct pps_chrome_writer *w)
{
    fputs(w->empty ? "\n" : ",\n", w->out);
    w->empty = false;
    return w->out;
}

void pps_chrome_write_begin(struct pps_chrome_writer *w, FILE *out)
{
    *w = (struct pps_chrome_writer){.out = out, .scale = 1, .empty = true};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
}

void pps_chrome_write_end(struct pps_chrome_writer *w, const char *const *data)
{
    fputs("\n],\"otherData\":{", w->out);
    for (int i = 0; data[i] != NULL; i += 2) {
        fputs(i > 0 ? ",\n\"" : "\n\"", w->out);
        put_text(w->out, data[i]);
        fputs("\":\"", w->out);
        put_text(w->out, data[i + 1]);
        fputc('"', w->out);
    }
    fputs("}}\n", w->out);
}

void pps_chrome_name_process(struct pps_chrome_writer *w, int32_t process, const char *name,
                             int32_t sort_index)
{
    FILE *out = begin(w);
    fprintf(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"",
            process);
    put_text(out, name);
    fputs("\"}}", out);
    begin(w);
    fprintf(out,
            "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            process, sort_index);
}

void pps_chrome_name_thread(struct pps_chrome_writer *w, int32_t process, int32_t thread,
                            const char *name, int32_t number, int32_t sort_index)
{
    FILE *out = begin(w);
    fprintf(
        out,
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"",
        process, thread);
    put_text(out, name);
    if (number >= 0)
        fprintf(out, " (%d)", number);
    fputs("\"}}", out);
    begin(w);
    fprintf(out,
            "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            process, thread, sort_index);
}

void pps_chrome_begin_event(struct pps_chrome_writer *w, const struct pps_chrome_span *span)
{
    FILE *out = begin(w);
    const double start = thousandths(w, span->start), end = thousandths(w, span->end);
    fputs("{\"ph\":\"X\",\"name\":\"", out);
    put_text(out, span->name);
    fprintf(out, " %d\",\"pid\":%d,\"tid\":%d,\"ts\":", span->number, span->process,
            span->thread);
    put_thousandths(out, start);
    fputs(",\"dur\":", out);
    put_thousandths(out, end - start);
    w->has_args = false;
}

static void put_key(struct pps_chrome_writer *w, const char *key)
{
    fputs(w->has_args ? ",\"" : ",\"args\":{\"", w->out);
    put_text(w->out, key);
    fputs("\":", w->out);
    w->has_args = true;
}

void pps_chrome_write_whole(struct pps_chrome_writer *w, const char *key, int64_t value)
{
    put_key(w, key);
    fprintf(w->out, "%lld", (long long)value);
}

void pps_chrome_write_real(struct pps_chrome_writer *w, const char *key, double value)
{
    put_key(w, key);
    put_number(w->out, value);
}

void pps_chrome_write_flag(struct pps_chrome_writer *w, const char *key)
{
    put_key(w, key);
    fputs("true", w->out);
}

void pps_chrome_end_event(struct pps_chrome_writer *w)
{
    fputs(w->has_args ? "}}" : "}", w->out);
}

void pps_chrome_begin_counter(struct pps_chrome_writer *w, int32_t process, const char *name,
                              const char *series, double time)
{
    FILE *out = begin(w);
    fputs("{\"ph\":\"C\",\"name\":\"", out);
    put_text(out, name);
    put_text(out, series);
    fprintf(out, "\",\"pid\":%d,\"ts\":", process);
    put_thousandths(out, thousandths(w, time));
    w->has_args = false;
}

void pps_chrome_mark(struct pps_chrome_writer *w, int32_t process, const char *name,
                     double time)
{
    FILE *out = begin(w);
    fputs("{\"ph\":\"i\",\"s\":\"p\",\"name\":\"", out);
    put_text(out, name);
    fprintf(out, "\",\"pid\":%d,\"tid\":0,\"ts\":", process);
    put_thousandths(out, thousandths(w, time));
    fputc('}', out);
}
