// SPDX-License-Identifier: Apache-2.0
// Strategies of users: what is read, and where each fault is.
#include "kernels/balance/documents/manual_read.h"

#include "base/document/plain.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct balance_layers layers_of(int32_t n)
{
    struct balance_layers layers = {.layers = n, .forward = 1, .parameter_mb = 1};
    for (int kind = 0; kind < BALANCE_KINDS; kind++) {
        layers.has[kind] = true;
        layers.activation_mb[kind] = 10 - kind;
        layers.backward[kind] = 2 + 0.1 * kind;
    }
    return layers;
}

struct read {
    struct plaindoc doc;
    struct balance_manual manual;
};

static struct read read_text(const char *text, const struct balance_layers *layers)
{
    struct read read;
    struct pps_fault fault;
    cr_assert(plaindoc_parse(&read.doc, PLAINDOC_YAML, text, strlen(text), &fault), "%s",
              fault.text);
    cr_assert(balance_manual_read(read.doc.root, layers, 4, 1, &read.manual, &fault), "%s",
              fault.text);
    return read;
}

static void done(struct read *read)
{
    balance_manual_free(&read->manual);
    plaindoc_free(&read->doc);
}

// Returns line * 1000 + column of a fault.
static int place(const struct read *read, const struct pps_fault *fault)
{
    for (size_t i = 0; i < read->doc.n_places; i++)
        if (read->doc.places[i].item == fault->item) {
            int line = 1, column = 1;
            for (size_t k = 0; k < read->doc.places[i].value_at; k++) {
                column = read->doc.text[k] == '\n' ? 1 : column + 1;
                line += read->doc.text[k] == '\n';
            }
            return 1000 * line + column;
        }
    return 0;
}

static int32_t count(const struct balance_manual_entry *entry, enum balance_kind kind,
                     int32_t chunk, int32_t stage)
{
    return entry->strategy.count[balance_at(&entry->strategy, kind, chunk, stage)];
}

// Would catch entries with chunks of their own read with those of the run, and lists in the wrong order.
Test(manual_read, named_entries_with_all_forms)
{
    const struct balance_layers layers = layers_of(26);
    struct read read = read_text("one:\n"
                                 "  offset: [1, 1, 0, 0]\n"
                                 "  select_recompute: [[6, 0, 0, 0]]\n"
                                 "  select_comm_recompute: [1, 0, 0, 2]\n"
                                 "two:\n"
                                 "  offset: [[1, 0, 0, 0,], [0, 0, 0, 1]]\n"
                                 "  recompute: True\n"
                                 "  interleave_num: 2\n"
                                 "  show: True\n"
                                 "  file_name: \"pictures.of.two.svg\"\n",
                                 &layers);
    cr_assert(read.manual.n == 2);
    const struct balance_manual_entry *one = &read.manual.entries[0], *two = one + 1;
    cr_assert_str_eq(one->name, "one");
    cr_assert_str_eq(one->fault.text, "");
    cr_assert_str_eq(one->file_name, "one.svg");
    cr_assert_not(one->show);
    cr_assert(one->strategy.chunks == 1);
    // n 7, select 6, select_comm 1: both 1, select 5, none 1
    cr_assert(count(one, BALANCE_BOTH, 0, 0) == 1 && count(one, BALANCE_SELECT, 0, 0) == 5 &&
              count(one, BALANCE_NONE, 0, 0) == 1);
    cr_assert(count(one, BALANCE_SELECT_COMM, 0, 3) == 2 &&
              count(one, BALANCE_NONE, 0, 3) == 4);
    cr_assert_str_eq(two->fault.text, "");
    cr_assert(two->show && two->strategy.chunks == 2);
    cr_assert_str_eq(two->file_name, "pictures.of.two.svg");
    cr_assert(count(two, BALANCE_FULL, 0, 0) == 4 && count(two, BALANCE_FULL, 1, 3) == 4);
    cr_assert(count(two, BALANCE_FULL, 1, 0) == 3 && count(two, BALANCE_NONE, 1, 0) == 0);
    done(&read);
}

Test(manual_read, a_document_of_one_strategy)
{
    const struct balance_layers layers = layers_of(24);
    struct read read =
        read_text("offset: 0\npp_interleave_num: 3\nrecompute: false\n", &layers);
    cr_assert(read.manual.n == 1 && read.manual.entries[0].strategy.chunks == 3);
    cr_assert_str_eq(read.manual.entries[0].file_name, "manual.svg");
    cr_assert(count(read.manual.entries, BALANCE_NONE, 2, 3) == 2);
    done(&read);
}

// Layers of multi-token prediction count as body layers.
Test(manual_read, layouts_of_megatron)
{
    const struct balance_layers layers = layers_of(12);
    struct read read = read_text("a:\n"
                                 "  layout: \"Et*3|(tt|)*3t|||mm,L\"\n"
                                 "  recompute: [[0, 0, 2, 0], [0, 0, 0, 0]]\n"
                                 "b: {layout: Et|t*9|t|tL, recompute: true}\n",
                                 &layers);
    const struct balance_manual_entry *a = &read.manual.entries[0], *b = a + 1;
    cr_assert_str_eq(a->fault.text, "");
    cr_assert(a->strategy.chunks == 2 && count(a, BALANCE_NONE, 0, 0) == 3);
    cr_assert(count(a, BALANCE_FULL, 0, 2) == 2 && count(a, BALANCE_NONE, 1, 0) == 1);
    cr_assert(count(a, BALANCE_NONE, 1, 1) == 0 && count(a, BALANCE_NONE, 1, 3) == 2);
    cr_assert_str_eq(b->fault.text, "");
    cr_assert(b->strategy.chunks == 1 && count(b, BALANCE_FULL, 0, 1) == 9);
    done(&read);
}

struct wrong {
    const char *text; // of an entry `a`, from its second line
    int place;        // line * 1000 + column
    const char *says;
};

// 25 layers on 4 stages: 6 each, and 1 more.
static const struct wrong wrongs[] = {
    {"  offset: [1, 1, 0, 0]\n", 2011, "offset: the sum is 2, expected 1"},
    {"  offset: 0\n", 2011, "offset: the sum is 0, expected 1"},
    {"  offset: [1, 0, 0]\n", 2011, "a list of 3 numbers, expected 4"},
    {"  offset: [[1, 0, 0, 0], [0, 0, 0, 0]]\n", 2011, "2 lists, expected 1"},
    {"  offset: [1, 0, 0, 0]\n  interleave_num: 2\n", 2011, "1 list, expected 2"},
    {"  offset: [8, -7, 0, 0]\n", 2015, "chunk 0 of stage 1 would have -1 layers"},
    {"  offset: [1, 0, 0, 0.5]\n", 2021, "expected a whole number"},
    {"  offset: [1, 0, 0, x]\n", 2021, "expected a whole number"},
    {"  offset: true\n", 2011, "expected 0, or 1 list of 4 numbers"},
    {"  recompute: true\n", 2003, "no offset"},
    {"  offset: [1, 0, 0, 0]\n  recompute: [0, 7, 0, 0]\n", 3018,
     "recompute: 7 layers, but chunk 0 of stage 1 has 6"},
    {"  offset: [1, 0, 0, 0]\n  select_recompute: [0, 0, 0, -1]\n", 3031,
     "select_recompute: -1 layers"},
    {"  offset: [1, 0, 0, 0]\n  select_comm_recompute: yes please\n", 3026,
     "expected true, false, or 1 list of 4 numbers"},
    {"  offset: [1, 0, 0, 0]\n  interleave_num: 0\n", 3019, "interleave_num"},
    {"  offset: [1, 0, 0, 0]\n  interleave_num: 5000\n", 3019, "interleave_num"},
    {"  offset: [1, 0, 0, 0]\n  interleave_num: 2\n  pp_interleave_num: 3\n", 4022,
     "interleave_num"},
    {"  offset: [1, 0, 0, 0]\n  interleave_num: 2\n  pipeline_interleave: false\n", 4024,
     "pipeline_interleave: false, but interleave_num is 2"},
    {"  layout: EtL\n", 2011, "multiple of the pipeline stages"},
    {"  layout: Et|t|t|tL\n", 2011, "layout: 4 layers, expected 25"},
    {"  layout: t*22|t|t|tL\n", 2011, "layout: expected E"},
    {"  layout: Et*22|t|t|tL\n  interleave_num: 2\n", 2011, "but interleave_num is 2"},
    {"  layout: Et*22|t|t|tL\n  offset: 0\n", 2011, "also has an offset"},
    {"  layout: [1]\n", 2011, "layout: expected a text"},
    {"  offset: [1, 0, 0, 0]\n  show: maybe\n", 3009, "show"},
    {"  offset: [1, 0, 0, 0]\n  file_name: ../x.svg\n", 3014, "file_name"},
};

// Each wrong entry has its fault, and the entry after it is read.
Test(manual_read, faults_of_entries)
{
    const struct balance_layers layers = layers_of(25);
    char text[512];
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        snprintf(text, sizeof text, "a:\n%sb:\n  offset: [0, 0, 0, 1]\n", wrongs[i].text);
        struct read read = read_text(text, &layers);
        const struct pps_fault *fault = &read.manual.entries[0].fault;
        cr_expect(strstr(fault->text, wrongs[i].says) != NULL, "%s%s", text, fault->text);
        cr_expect(place(&read, fault) == wrongs[i].place, "%s%s: %d", text, fault->text,
                  place(&read, fault));
        cr_expect_null(read.manual.entries[0].strategy.count);
        cr_expect(read.manual.n == 2 && read.manual.entries[1].fault.text[0] == '\0', "%s",
                  text);
        done(&read);
    }
}

Test(manual_read, entries_that_are_no_strategies)
{
    static const char *const texts[] = {"a: 5\nb: {offset: [0, 0, 0, 1]}\n",
                                        "a: [1, 2]\nb: {offset: [0, 0, 0, 1]}\n",
                                        "a:\nb: {offset: [0, 0, 0, 1]}\n"};
    const struct balance_layers layers = layers_of(25);
    for (int i = 0; i < 3; i++) {
        struct read read = read_text(texts[i], &layers);
        cr_assert(strstr(read.manual.entries[0].fault.text, "a: expected a strategy") != NULL);
        cr_assert_str_eq(read.manual.entries[1].fault.text, "");
        done(&read);
    }
}

// Two entries must not write one picture.
Test(manual_read, equal_file_names)
{
    const struct balance_layers layers = layers_of(24);
    struct read read = read_text("a: {offset: 0, file_name: b.svg}\nb: {offset: 0}\n", &layers);
    cr_assert(strstr(read.manual.entries[1].fault.text, "also the picture of a") != NULL);
    done(&read);
}

// A kind whose memory is not known cannot be replayed. One layer in both selective lists has kind both.
Test(manual_read, kinds_without_memory)
{
    struct balance_layers layers = layers_of(24);
    layers.has[BALANCE_BOTH] = false;
    struct read read = read_text("a:\n"
                                 "  offset: 0\n"
                                 "  select_recompute: [0, 0, 1, 0]\n"
                                 "  select_comm_recompute: [0, 0, 1, 0]\n"
                                 "b:\n"
                                 "  offset: 0\n"
                                 "  select_recompute: [0, 0, 1, 0]\n"
                                 "  select_comm_recompute: [0, 1, 0, 0]\n",
                                 &layers);
    cr_assert(strstr(read.manual.entries[0].fault.text, "`both`") != NULL, "%s",
              read.manual.entries[0].fault.text);
    cr_assert(place(&read, &read.manual.entries[0].fault) == 3028);
    cr_assert_str_eq(read.manual.entries[1].fault.text, "");
    done(&read);
}

Test(manual_read, unknown_keys_are_doubts)
{
    const struct balance_layers layers = layers_of(24);
    struct read read = read_text(
        "a: {offset: 0, ofset: 1, show: true}\nb: {recomute: 1, offset: 0, x: 2}\n", &layers);
    static const char *const wanted[] = {
        "unknown key ofset has no effect; did you mean offset?",
        "unknown key recomute has no effect; did you mean recompute?",
        "unknown key x has no effect"};
    struct pps_fault doubts[4];
    cr_assert_eq(balance_manual_doubts(read.doc.root, doubts, 4), 3);
    for (int i = 0; i < 3; i++)
        cr_assert_str_eq(doubts[i].text, wanted[i]);
    cr_assert_eq(balance_manual_doubts(read.doc.root, doubts, 2), 2);
    cr_assert_str_eq(read.manual.entries[0].fault.text, "");
    done(&read);
}

Test(manual_read, documents_without_entries)
{
    const struct balance_layers layers = layers_of(24);
    struct balance_manual manual;
    struct pps_fault fault;
    cJSON *empty = cJSON_CreateObject(), *list = cJSON_CreateArray();
    cr_assert_not(balance_manual_read(empty, &layers, 4, 1, &manual, &fault));
    cr_assert(strstr(fault.text, "no strategy") != NULL);
    cr_assert_not(balance_manual_read(list, &layers, 4, 1, &manual, &fault));
    cJSON_Delete(empty);
    cJSON_Delete(list);
}
