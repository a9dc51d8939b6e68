// SPDX-License-Identifier: Apache-2.0
// Writes traces in the Chrome trace format.
#include "base/stream/chrome_write.h"

#include "base/text/decimal.h"

static void put_number(FILE *out, double value)
{
    char text[PPS_DECIMAL_CAP];
    fwrite(text, 1, pps_decimal_full(text, value), out);
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
    *w = (struct pps_chrome_writer){.out = out, .empty = true};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
}

void pps_chrome_write_end(struct pps_chrome_writer *w)
{
    fputs("\n]}\n", w->out);
}

void pps_chrome_name_process(struct pps_chrome_writer *w,
                             int32_t process,
                             const char *name,
                             int32_t number)
{
    FILE *out = begin(w);
    fprintf(out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"",
            process);
    put_text(out, name);
    if (number >= 0)
        fprintf(out, " %d", number);
    fputs("\"}}", out);
    begin(w);
    fprintf(out,
            "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,"
            "\"args\":{\"sort_index\":%d}}",
            process, process);
}

void pps_chrome_name_thread(struct pps_chrome_writer *w,
                            int32_t process,
                            int32_t thread,
                            const char *name,
                            int32_t number,
                            int32_t sort_index)
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
    fputs("{\"ph\":\"X\",\"name\":\"", out);
    put_text(out, span->category);
    fprintf(out, " %d\",\"cat\":\"", span->number);
    put_text(out, span->category);
    fprintf(out, "\",\"pid\":%d,\"tid\":%d,\"ts\":", span->process, span->thread);
    put_number(out, span->start);
    fputs(",\"dur\":", out);
    put_number(out, span->duration);
    fputs(",\"args\":{", out);
    w->is_first = true;
}

static void put_key(struct pps_chrome_writer *w, const char *key)
{
    fputs(w->is_first ? "\"" : ",\"", w->out);
    put_text(w->out, key);
    fputs("\":", w->out);
    w->is_first = false;
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

void pps_chrome_write_flag(struct pps_chrome_writer *w, const char *key, bool value)
{
    put_key(w, key);
    fputs(value ? "true" : "false", w->out);
}

void pps_chrome_end_event(struct pps_chrome_writer *w)
{
    fputs("}}", w->out);
}

void pps_chrome_counter(struct pps_chrome_writer *w,
                        int32_t process,
                        const char *name,
                        const char *series,
                        double time,
                        double value)
{
    FILE *out = begin(w);
    fputs("{\"ph\":\"C\",\"name\":\"", out);
    put_text(out, name);
    put_text(out, series);
    fprintf(out, "\",\"pid\":%d,\"ts\":", process);
    put_number(out, time);
    fputs(",\"args\":{\"value\":", out);
    put_number(out, value);
    fputs("}}", out);
}
