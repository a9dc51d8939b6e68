// SPDX-License-Identifier: Apache-2.0
// Record logs: what is kept of interrupted, damaged and foreign files.
#include "base/resume/record_log.h"

#include "tests/unit/support/files.h"

static const char name[] = "log", other[] = "log.new";

TestSuite(record_log, .init = enter, .fini = leave);

static const struct pps_record_log_ask again = {.path = name,
                                                .identity = "work 7",
                                                .work = "work",
                                                .other = "other work",
                                                .resume = true};

static void open_log(struct pps_record_log *log)
{
    struct pps_error err = {.text = ""};
    cr_assert_eq(pps_record_log_open(log, &again, &err), PPS_OK, "%s", err.text);
}

static void add(struct pps_record_log *log, const char *text)
{
    struct pps_error err;
    pps_record_log_add(log, text, strlen(text));
    cr_assert_eq(pps_record_log_flush(log, &err), PPS_OK);
}

// Writes a log of three records, and returns its bytes.
static size_t write_three(char bytes[512])
{
    struct pps_record_log log;
    open_log(&log);
    cr_assert(!log.found);
    add(&log, "one");
    add(&log, "");
    add(&log, "three");
    pps_record_log_close(&log);
    size_t n;
    char *text = slurp(name, &n);
    cr_assert_lt(n, 512);
    memcpy(bytes, text, n);
    free(text);
    return n;
}

// Reads the log and compares its records with the first ones of write_three. Returns their number, or -1 if
// the log is refused.
static int count(void)
{
    static const char *const wanted[] = {"one", "", "three"};
    struct pps_record_log log;
    struct pps_error err;
    const char *data;
    size_t n;
    int k = 0;
    if (pps_record_log_open(&log, &again, &err) != PPS_OK) {
        cr_assert_eq(err.code, PPS_E_INPUT, "%s", err.text);
        pps_record_log_close(&log);
        return -1;
    }
    for (; pps_record_log_next(&log, &data, &n); k++) {
        cr_assert_lt(k, 3);
        cr_assert(n == strlen(wanted[k]) && memcmp(data, wanted[k], n) == 0, "record %d", k);
    }
    pps_record_log_close(&log);
    return k;
}

// Catches a log that passes a changed record, or one behind it.
Test(record_log, every_flip_of_a_bit_is_found)
{
    char bytes[512];
    const size_t n = write_three(bytes), head = 8 + 16 + 6;
    const size_t ends[] = {head + 19, head + 19 + 16, head + 19 + 16 + 21};
    cr_assert_eq(n, ends[2]);
    cr_assert_eq(count(), 3);
    for (size_t at = 0; at < n; at++)
        for (int bit = 0; bit < 8; bit++) {
            int whole = 0;
            while (at >= head && ends[whole] <= at)
                whole++;
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
            spill_bytes(name, bytes, n);
            cr_assert_eq(count(), at < head ? -1 : whole, "bit %d of byte %zu", bit, at);
            bytes[at] = (char)(bytes[at] ^ 1 << bit);
        }
}

Test(record_log, every_truncated_log_is_continued)
{
    char bytes[512];
    const size_t n = write_three(bytes), head = 8 + 16 + 6;
    for (size_t left = 0; left <= n; left++) {
        spill_bytes(name, bytes, left);
        const int k = count();
        cr_assert_eq(k,
                     left < head + 19   ? 0
                     : left < head + 35 ? 1
                     : left < n         ? 2
                                        : 3,
                     "%zu bytes: %d", left, k);
        struct pps_record_log log;
        open_log(&log);
        if (k < 1)
            add(&log, "one");
        if (k < 2)
            add(&log, "");
        if (k < 3)
            add(&log, "three");
        pps_record_log_close(&log);
        size_t n_whole;
        char *whole = slurp(name, &n_whole);
        cr_assert(n_whole == n && memcmp(bytes, whole, n) == 0, "%zu bytes", left);
        free(whole);
    }
}

// Catches a checksum that does not depend on the place of the record.
Test(record_log, a_repeated_or_missing_record_is_found)
{
    char bytes[512], changed[512];
    const size_t n = write_three(bytes), head = 8 + 16 + 6;
    memcpy(changed, bytes, head + 19);
    memcpy(changed + head + 19, bytes + head, 19);
    spill_bytes(name, changed, head + 38);
    cr_assert_eq(count(), 1);
    memcpy(changed, bytes, head);
    memcpy(changed + head, bytes + head + 19, n - head - 19);
    spill_bytes(name, changed, n - 19);
    cr_assert_eq(count(), 0);
}

Test(record_log, one_record_replaces_all)
{
    char bytes[512];
    struct pps_record_log log, second;
    struct pps_error err = {.text = ""};
    const char *data;
    size_t n;
    write_three(bytes);
    open_log(&log);
    cr_assert(log.found);
    cr_assert_eq(pps_record_log_replace(&log, "state", 5, &err), PPS_OK, "%s", err.text);
    cr_assert_eq(pps_record_log_open(&second, &again, &err), PPS_E_INPUT, "no lock");
    pps_record_log_close(&second);
    cr_assert_eq(pps_record_log_replace(&log, "state 2", 7, &err), PPS_OK, "%s", err.text);
    pps_record_log_close(&log);
    open_log(&log);
    cr_assert(pps_record_log_next(&log, &data, &n) && n == 7 &&
              memcmp(data, "state 2", 7) == 0);
    cr_assert(!pps_record_log_next(&log, &data, &n));
    cr_assert_eq(pps_record_log_remove(&log, &err), PPS_OK);
    pps_record_log_close(&log);
    cr_assert(!is_there(name) && !is_there(other));
}

Test(record_log, a_foreign_file_beside_the_log_stays)
{
    struct pps_record_log log;
    struct pps_error err;
    spill(other, "mine");
    open_log(&log);
    cr_assert_eq(pps_record_log_replace(&log, "state", 5, &err), PPS_E_INPUT);
    pps_record_log_close(&log);
    has_text(other, "mine");
}

Test(record_log, other_work_and_other_files_are_refused)
{
    char bytes[512];
    struct pps_record_log log;
    struct pps_error err;
    struct pps_record_log_ask ask = again;
    write_three(bytes);
    ask.identity = "work 8";
    cr_assert_eq(pps_record_log_open(&log, &ask, &err), PPS_E_INPUT);
    cr_assert_str_eq(strstr(err.text, ": ") + 2,
                     "other work (work 7, now 8); --force without --resume starts again");
    pps_record_log_close(&log);
    ask.identity = "work 7";
    ask.resume = false;
    cr_assert_eq(pps_record_log_open(&log, &ask, &err), PPS_E_INPUT);
    pps_record_log_close(&log);
    cr_assert_eq(count(), 3, "it is unchanged");
    ask.force = true;
    cr_assert_eq(pps_record_log_open(&log, &ask, &err), PPS_OK);
    pps_record_log_close(&log);
    cr_assert_eq(count(), 0);
    cr_assert_eq(symlink("elsewhere", other), 0);
    ask.path = other;
    cr_assert_eq(pps_record_log_open(&log, &ask, &err), PPS_E_INPUT, "a link");
    pps_record_log_close(&log);
}
