// SPDX-License-Identifier: Apache-2.0
// ppsweep dynaplan: plans of training steps whose micro-batches differ.
#include "base/edit/json_write.h"
#include "base/system/disk.h"
#include "base/system/threads.h"
#include "base/text/human.h"
#include "base/text/say.h"
#include "base/write/new_file.h"
#include "engine/command/signals.h"
#include "engine/trace/trace_write.h"
#include "planner/dynapipe/batch_source.h"
#include "planner/dynapipe/batch_trace.h"
#include "planner/dynapipe/commands.h"
#include "planner/dynapipe/plan_report.h"
#include "planner/dynapipe/plan_resume.h"
#include "planner/shared/options.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH = 4096,
    WAVE = 4,  // batches a thread that are planned together
    SPARE = 2, // items behind a wave: a line can complete a batch and refuse the next one
    THREADS_MOST = 1024,
};

static const struct pps_opt options[] = {
    DYNAPLAN_OPTIONS,
    {"stream", 0, NULL, "read batches and write one plan a line, each as soon as it is ready"},
    {"fail-fast", 0, NULL, "--stream: stop at the first batch without a plan"},
    {"output", 'o', "DIR", "write the plans to DIR/plan-NUMBER.json"},
    {"trace", 0, "FILE", "timeline of the first batch: NAME.json, .svg, .png or .csv"},
    {"baselines", 0, NULL,
     "compare with micro-batches of equal tokens and of equal rows in 1F1B, the best of "
     "several sizes"},
    {"log", 0, "[DIR]",
     "write performance logs (DYNAPIPE_PERFORMANCE_LOG_DIR, performance_logs)"},
    {"threads", 'j', "N", "batches that are planned at the same time (all CPUs; --stream 1)"},
    {"resume", 0, NULL,
     "with --output: keep the plans of an interrupted command, if there is one"},
    {"force", 0, NULL, "overwrite files even if others wrote or edited them"},
    {"verbose", 'v', NULL, "print evaluations and divisions of every batch"},
    {NULL, 0, NULL, NULL},
};

static const char details[] =
    "The command turns batches of samples of different length into plans: which samples go\n"
    "together into a micro-batch, which replica runs it, in which order, with which schedule\n"
    "and recomputation, and the instructions of every device. All plans are replayed before\n"
    "they are written: without deadlock and within the memory.\n"
    "\n"
    "BATCHES is a file or - (stdin): text, one batch per line, samples as in 512 or\n"
    "512,128 (input, target), CSV with the columns batch, enc and dec, or JSON lines. A line\n"
    "{\"micro_batches\": [[8, 512], 4096]} has ready micro-batches: rows and length, or tokens.\n"
    "\n"
    "FILE is a training: a configuration of Megatron-LM, MindSpeed, MindFormers or torchtitan, or\n"
    "a plan, priced on CLUSTER as by ppsweep check. It sets the model, the layers of every stage,\n"
    "the replicas, tensor, context and expert degrees, and the memory. The row mine is the batch\n"
    "in micro-batches of the size that FILE sets, in 1F1B, with the recomputation of FILE.\n"
    "\n"
    "DYNAPIPE_FAST_MODE=true (yes, 1) makes fast the default of --mode. Exit status: 3 if a\n"
    "batch has no plan that fits in memory, or --compat orig planned more than fits, 4 if\n"
    "--stream met batches that it cannot read.\n"
    "\n"
    "  ppsweep dynaplan --model llama2-7b --devices 4 --tp 2 lengths.txt -o plans\n"
    "  ppsweep dynaplan my-training.sh h100 lengths.txt\n"
    "  ppsweep dynaplan --costs costs.json --cluster links.json -n 4 --memory 38000 --stream -\n";

// ---- batches --------------------------------------------------------------------------------------

// A batch that waits for its turn to be written.
struct item {
    struct batch batch;
    bool is_refused; // by the reader: `reason` says why
    bool is_planned; // or refused: it can be written
    bool is_kept;    // its plan was written by an interrupted command
    char reason[512];
    int line, column;
    struct planned planned;
    struct text_buffer text, recompute; // the plan; its recomputation for the log
};

struct run {
    struct dynaplan_request request;
    const char *input, *folder, *trace;
    enum pps_trace_form trace_form;
    bool streams, fails_fast, verbose, baselines;
    const struct pps_gate *gate;
    int threads;
    atomic_bool *stop;
    struct plan_batch_room *rooms; // [threads]
    struct item *items;            // [wave + SPARE]
    int wave, n;
    atomic_int next;
    pthread_mutex_t lock; // of what follows, and of all that is written
    int written;          // items of the wave
    enum pps_status status;
    struct totals totals;
    struct plan_log log;
    struct plan_resume resume;
    int64_t unreadable;
    bool traced;
    struct pps_error *err;
};

static void write_error(const struct run *r, const struct item *item, struct text_buffer *out)
{
    text_buffer_clear(out);
    text_buffer_add(out, "{\"batch\":");
    json_write_text(out, item->batch.name);
    text_buffer_add(
        out, ",\"number\":%lld,\"status\":\"%s\",\"reason\":", (long long)item->batch.number,
        !item->is_refused && item->planned.outcome == PLANNED_INFEASIBLE ? "infeasible"
                                                                         : "error");
    if (item->is_refused) {
        char reason[1024];
        snprintf(reason, sizeof reason, "%s:%d:%d: %s", r->input, item->line, item->column,
                 item->reason);
        json_write_text(out, reason);
    } else {
        json_write_text(out, item->planned.reason);
    }
    text_buffer_add(out, "}\n");
}

static void name_file(const struct run *r, const struct item *item, char path[PATH])
{
    snprintf(path, PATH, "%s/plan-%06lld.json", r->folder, (long long)item->batch.number);
}

static enum pps_status write_file(struct run *r, const struct item *item)
{
    struct pps_new_file file;
    char path[PATH];
    name_file(r, item, path);
    enum pps_status status = pps_new_file_open(&file, path, r->gate, r->err);
    if (status != PPS_OK)
        return status;
    fwrite(item->text.text, 1, item->text.n, file.out);
    status = pps_new_file_close(&file, r->err);
    return status == PPS_OK ? plan_resume_add(&r->resume, &item->batch, &item->planned, r->err)
                            : status;
}

static void show_verbose(const struct item *item)
{
    const struct planned *p = &item->planned;
    pps_say(stdout,
            "           evaluations %s, first plan that fits after %s; recomputed %s "
            "full, %s selective; utilisation %.1f %%; division %s",
            pps_count_text((double)p->figures.evaluations).text,
            pps_count_text((double)p->figures.first_fit).text,
            pps_count_text((double)p->figures.full).text,
            pps_count_text((double)p->figures.selective).text, 100 * p->figures.utilisation,
            pps_time_text(p->objective / 1e3).text);
}

// Writes a batch. The plan itself belongs to a room that other batches of the wave have used, so only its text is left.
static enum pps_status write_item(struct run *r, struct item *item)
{
    const struct planned *p = &item->planned;
    if (item->is_refused || p->outcome == PLANNED_REFUSED || p->outcome == PLANNED_INFEASIBLE) {
        r->unreadable += item->is_refused || p->outcome == PLANNED_REFUSED;
        if (r->streams)
            write_error(r, item, &item->text);
    }
    if (!item->is_refused && !totals_add(&r->totals, p))
        return pps_fail_memory(r->err, "the totals");
    if (r->streams) {
        fwrite(item->text.text, 1, item->text.n, stdout);
        fflush(stdout);
    } else if (!item->is_refused) {
        totals_show_batch(&item->batch, p, stdout);
    }
    return PPS_OK;
}

static enum pps_status fail_item(const struct run *r, const struct item *item)
{
    if (item->is_refused)
        return pps_fail_at(r->err, PPS_E_INPUT, r->input, item->line, item->column, "%s",
                           item->reason);
    return pps_fail_at(
        r->err, item->planned.outcome == PLANNED_INFEASIBLE ? PPS_E_INFEASIBLE : PPS_E_INPUT,
        r->input, item->batch.line, 0, "batch %s: %s", item->batch.name, item->planned.reason);
}

// Finishes an item in the order of the input.
static enum pps_status finish(struct run *r, struct item *item)
{
    const struct planned *p = &item->planned;
    if (!item->is_refused && p->outcome == PLANNED_STOPPED)
        return pps_fail(r->err, PPS_E_STOPPED, "stopped; plans of %lld batches were written%s",
                        (long long)r->totals.batches,
                        r->resume.is_open ? "; --resume goes on" : "");
    if (!item->is_refused && (p->outcome == PLANNED_NO_MEMORY || item->text.failed))
        return pps_fail_memory(r->err, "batch %s", item->batch.name);
    enum pps_status status = write_item(r, item);
    const bool planned = !item->is_refused && p->outcome == PLANNED;
    if (status == PPS_OK && planned && r->folder != NULL && !item->is_kept)
        status = write_file(r, item);
    if (status == PPS_OK && planned && r->verbose && !r->streams)
        show_verbose(item);
    if (status == PPS_OK && planned && r->log.is_open)
        status = plan_log_write(&r->log, &item->batch, p, &item->recompute, r->err);
    if (status == PPS_OK && planned && r->trace != NULL && !r->traced) {
        r->traced = true;
        status = batch_trace_write(&r->request, p, item->batch.name, r->trace, r->trace_form,
                                   r->gate, r->err);
    }
    if (status == PPS_OK && planned && p->figures.exceeds > 0 && r->streams && r->fails_fast)
        status =
            pps_fail_at(r->err, PPS_E_INFEASIBLE, r->input, item->batch.line, 0,
                        "batch %s: the plan exceeds the limit of device %d by %.1f MB",
                        item->batch.name, (int)p->figures.exceeding_device, p->figures.exceeds);
    if (status == PPS_OK && !planned &&
        (r->streams ? r->fails_fast : item->is_refused || p->outcome == PLANNED_REFUSED))
        status = fail_item(r, item);
    return status;
}

// Writes the items that are planned, in their order.
static void write_planned(struct run *r, struct item *item)
{
    pthread_mutex_lock(&r->lock);
    item->is_planned = true;
    for (; r->written < r->n && r->items[r->written].is_planned; r->written++)
        if (r->status == PPS_OK)
            r->status = finish(r, &r->items[r->written]);
    pthread_mutex_unlock(&r->lock);
}

// Plans an item. Nothing but its text is left when the thread plans another one.
static void plan_item(struct run *r, struct item *item, int thread)
{
    plan_batch(&r->request, &item->batch, r->baselines, &r->rooms[thread], r->stop,
               &item->planned);
    text_buffer_clear(&item->text);
    if (item->planned.outcome == PLANNED && (r->streams || r->folder != NULL))
        plan_write(&item->planned.step, &item->text);
    if (item->planned.outcome == PLANNED && r->log.is_open)
        plan_log_collect(&item->planned, &item->recompute);
}

// Plans the items of a wave; several threads share them. Each is written as soon as those before it are.
static void work(void *self, int thread)
{
    struct run *r = self;
    for (int k = atomic_fetch_add(&r->next, 1); k < r->n; k = atomic_fetch_add(&r->next, 1)) {
        if (!r->items[k].is_refused && !r->items[k].is_kept)
            plan_item(r, &r->items[k], thread);
        write_planned(r, &r->items[k]);
    }
}

static enum pps_status plan_wave(struct run *r)
{
    enum pps_status status = PPS_OK;
    const int threads = r->n < r->threads ? r->n : r->threads;
    atomic_store(&r->next, 0);
    r->written = 0;
    r->status = PPS_OK;
    for (int k = 0; k < r->n; k++)
        r->items[k].is_planned = false;
    if (threads > 1)
        status = pps_parallel(threads, work, r, r->err);
    else
        work(r, 0);
    r->n = 0;
    return status == PPS_OK ? r->status : status;
}

// ---- input ----------------------------------------------------------------------------------------

static struct item *next_item(struct run *r)
{
    r->items[r->n].is_refused = r->items[r->n].is_kept = false;
    return &r->items[r->n];
}

static void add_refused(struct run *r, const struct batch_reader *reader,
                        const struct pps_fault *fault)
{
    struct item *item = next_item(r);
    item->is_refused = true;
    item->line = fault->line;
    item->column = fault->column;
    item->batch.number = batch_reader_refused(reader);
    snprintf(item->batch.name, sizeof item->batch.name, "%lld", (long long)item->batch.number);
    snprintf(item->reason, sizeof item->reason, "%s", fault->text);
    r->n++;
}

// Finds the plan of a batch among those of an interrupted command. A timeline needs a plan of its own.
static void find_kept(struct run *r, struct item *item)
{
    char path[PATH];
    if (!r->resume.is_open || (r->trace != NULL && !r->traced))
        return;
    name_file(r, item, path);
    item->is_kept =
        plan_resume_find(&r->resume, &item->batch, path, &item->planned, &item->text);
}

// Takes what the reader has made of a line.
static enum pps_status take(struct run *r, const struct batch_reader *reader,
                            enum batch_fed fed, const struct pps_fault *fault)
{
    if (fed == BATCH_NO_MEMORY)
        return pps_fail_memory(r->err, "a batch");
    if (fed == BATCH_READY)
        find_kept(r, &r->items[r->n++]);
    if (fed == BATCH_REFUSED || (fed == BATCH_READY && fault->text[0] != '\0'))
        add_refused(r, reader, fault);
    // The timeline needs a plan that no later batch has replaced.
    const bool one = r->streams || (r->trace != NULL && !r->traced);
    return r->n < (one ? 1 : r->wave) ? PPS_OK : plan_wave(r);
}

static enum pps_status read_all(struct run *r, struct batch_source *source)
{
    struct pps_fault fault;
    enum batch_fed fed = BATCH_READY;
    enum pps_status status = PPS_OK;
    while (status == PPS_OK && fed != BATCH_MORE) {
        status = batch_source_next(source, &next_item(r)->batch, &fed, &fault, r->err);
        if (status == PPS_OK)
            status = take(r, source->reader, fed, &fault);
    }
    return status == PPS_OK && r->n > 0 ? plan_wave(r) : status;
}

static enum pps_status plan_input(struct run *r)
{
    struct batch_source source = {.source = NULL};
    enum pps_status status = batch_source_open(&source, r->input, r->stop, r->err);
    if (status == PPS_OK)
        status = read_all(r, &source);
    batch_source_close(&source);
    return status;
}

// ---- the command ----------------------------------------------------------------------------------

static enum pps_status open_run(struct run *r, const struct pps_args *args)
{
    uint64_t threads = 1;
    r->input = pps_arg_word(args, pps_arg_words(args) - 1);
    r->streams = pps_arg(args, "stream") != NULL;
    r->fails_fast = pps_arg(args, "fail-fast") != NULL;
    r->verbose = pps_arg(args, "verbose") != NULL;
    r->gate = pps_arg_gate(args);
    r->baselines = pps_arg(args, "baselines") != NULL;
    r->folder = pps_arg(args, "output");
    r->trace = pps_arg(args, "trace");
    enum pps_status status = PPS_OK;
    if (r->trace != NULL && !pps_trace_form_of(r->trace, &r->trace_form))
        return pps_fail(r->err, PPS_E_INPUT,
                        "--trace %s: expected a name that ends in .json, .svg, .png or .csv",
                        r->trace);
    if (!r->streams || pps_arg(args, "threads") != NULL)
        status = plan_arg_threads(args, THREADS_MOST, &threads, r->err);
    if (status == PPS_OK)
        status = dynaplan_request_open(&r->request, args, r->err);
    if (status == PPS_OK && r->trace != NULL)
        status = pps_gate_check(r->gate, r->trace, r->err);
    if (status == PPS_OK && r->folder != NULL)
        status = pps_disk_make_folder(r->folder, r->err);
    if (status == PPS_OK && r->folder != NULL)
        status = plan_resume_open(&r->resume, r->folder, args, options, r->request.choice.mode,
                                  r->err);
    if (status == PPS_OK)
        status = plan_log_open(&r->log, pps_arg(args, "log"), r->gate, r->err);
    if (status != PPS_OK)
        return status;
    r->threads = (int)threads;
    r->wave = WAVE * r->threads;
    r->rooms = calloc((size_t)r->threads, sizeof *r->rooms);
    r->items = calloc((size_t)r->wave + SPARE, sizeof *r->items);
    return r->rooms != NULL && r->items != NULL ? PPS_OK
                                                : pps_fail_memory(r->err, "the batches");
}

static void close_run(struct run *r)
{
    for (int k = 0; r->items != NULL && k < r->wave + SPARE; k++) {
        batch_free(&r->items[k].batch);
        text_buffer_free(&r->items[k].text);
        text_buffer_free(&r->items[k].recompute);
    }
    for (int k = 0; k < r->threads && r->rooms != NULL; k++)
        plan_batch_room_free(&r->rooms[k]);
    free(r->items);
    free(r->rooms);
    totals_free(&r->totals);
    dynaplan_request_close(&r->request);
}

static enum pps_status conclude(struct run *r)
{
    if (!r->streams) {
        totals_show(&r->totals, stdout);
        if (r->baselines)
            totals_show_baselines(&r->totals, stdout);
        if (r->request.has_mine)
            totals_show_mine(&r->totals, r->request.rows, stdout);
        if (r->folder != NULL)
            pps_say(stdout, "plans     %s/plan-*.json", r->folder);
        if (r->traced) {
            pps_say(stdout, "wrote     %s", r->trace);
            pps_trace_say_next(stdout, r->trace_form);
        }
    }
    totals_show_times(&r->totals, stderr);
    if (r->unreadable > 0)
        return pps_fail(r->err, PPS_E_POINTS,
                        "%lld of the batches cannot be read; their error records have "
                        "\"status\": \"error\"",
                        (long long)r->unreadable);
    if (r->totals.exceeding > 0)
        return pps_fail(r->err, PPS_E_INFEASIBLE,
                        "%lld of the plans need more memory than there is, as the published "
                        "planner's do; leave out --compat",
                        (long long)r->totals.exceeding);
    if (r->totals.infeasible > 0)
        return pps_fail(r->err, PPS_E_INFEASIBLE, "%lld of the batches have no plan that fits",
                        (long long)r->totals.infeasible);
    return PPS_OK;
}

static enum pps_status dynaplan_main(const struct pps_args *args, struct pps_error *err)
{
    struct pps_error closing;
    struct run *r = calloc(1, sizeof *r);
    if (r == NULL)
        return pps_fail_memory(err, "the plans");
    r->err = err;
    pthread_mutex_init(&r->lock, NULL);
    enum pps_status status = open_run(r, args);
    if (status == PPS_OK) {
        r->stop = pps_signals_install();
        if (!r->streams)
            totals_show_head(stdout);
        status = plan_input(r);
    }
    enum pps_status closed = plan_log_close(&r->log, status == PPS_OK ? err : &closing);
    status = status == PPS_OK ? closed : status;
    closed = plan_resume_close(&r->resume, status == PPS_OK, status == PPS_OK ? err : &closing);
    status = status == PPS_OK ? closed : status;
    if (status == PPS_OK)
        status = conclude(r);
    close_run(r);
    free(r);
    return status;
}

const struct pps_command dynaplan_command = {
    .name = "dynaplan",
    .summary = "plan training steps whose samples have different lengths",
    .usage = "[options] [FILE [CLUSTER]] BATCHES",
    .details = details,
    .options = options,
    .config = true,
    .min_words = 1,
    .max_words = 3,
    .main = dynaplan_main,
};
