// SPDX-License-Identifier: Apache-2.0
// ppsweep trace: writes the timeline of one point.
#include "engine/cli/options/trace_point.h"
#include "engine/cli/verbs.h"

#include "base/text/say.h"
#include "base/write/gate.h"
#include "engine/command/signals.h"
#include "engine/experiment/kernel_calls.h"
#include "engine/manifest/manifest_file.h"
#include "engine/point/artifact.h"
#include "engine/point/one_point.h"
#include "engine/timeline/part.h"
#include "engine/timeline/time_unit.h"
#include "engine/trace/trace_write.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_FOLDER "outputs/traces"

static const struct pps_opt options[] = {
    {"row", 0, "K", "trace the point of data row K of RESULT, counted from 1 (1)"},
    {"input", 'i', "SLOT=FILE",
     "input document of KERNEL, or one that is too large for the manifest of RESULT"},
    {"output", 'o', "FILE",
     "NAME.json, .svg, .png or .csv, or - for stdout; .gz compresses (outputs/traces/)"},
    {"compare", 0, "POINT",
     "a second timeline below, on the same axis: K (a row of RESULT) or KEY=VALUE,KEY=VALUE"},
    {"gpus", 0, "LIST", "only these GPUs (devices, stages), as in 0,3,8-11 (all)"},
    {"from", 0, "TIME", "start of the part that is written, as in 1200 or 1.2ms (0)"},
    {"to", 0, "TIME", "end of the part that is written (end of the timeline)"},
    {"utilisation", 0, NULL,
     "how busy lanes are, in place of tasks (where a picture has too many tasks)"},
    {"width", 0, "MM", "width of a picture on paper: 84 for one column (as wide as needed)"},
    {"view", 0, "NAME",
     "arrangement of the lanes: dual or single for contention (as --simulator of the run)"},
    {"as", 0, "NAME",
     "write an artifact of the kernel, which ppsweep kernels KERNEL lists, instead of a timeline"},
    {"format", 0, "FORMAT", "perfetto, svg, png or csv (from the name of FILE, else perfetto)"},
    {"force", 0, NULL, "overwrite FILE even if others wrote or edited it"},
    {"quiet", 'q', NULL, "print errors only"},
    // Published switches of what an SVG always shows.
    {"show-throttling", 0, NULL, NULL},
    {"show-completion-time", 0, NULL, NULL},
    {"no-show", 0, NULL, NULL}, // published: opens no window, as trace never does
    {NULL, 0, NULL, NULL},
};

// --gpus chooses lanes.
static const struct pps_opt_alias params[] = {{"num-groups", "gpus"}, {NULL, NULL}};

static const char details[] =
    "The point is a row of RESULT, or a point of KERNEL. KEY=VALUE sets a parameter; other\n"
    "parameters keep the values of the row or take their defaults.\n"
    "\n"
    "Without -o, trace writes JSON to outputs/traces/.\n"
    "\n"
    "JSON: open ui.perfetto.dev and drop the file on the page. One unit of time is shown as\n"
    "one microsecond, with 3 decimals. Tracks \"load\" count what GPUs compute and send.\n"
    "SVG and PNG: a picture with at most 20000 segments and 120 lanes, otherwise of the\n"
    "utilisation of lanes. SVG opens in any browser, with a description of the segment under\n"
    "the pointer. CSV: one line per segment of constant rate, with all digits.\n"
    "\n"
    "--compare takes the number of another row of RESULT, or parameters that differ. The\n"
    "second timeline is marked with the difference of the two ends.\n"
    "\n"
    "--view single draws the transfers of a GPU on one lane, --view dual (the default of\n"
    "contention) on a lane per direction. Views show the same simulation.\n"
    "\n"
    "--as NAME writes a text that the kernel has of the point besides its row and timeline,\n"
    "for example an order of operations as CSV.\n"
    "\n"
    "  ppsweep trace outputs/data/first.csv.gz --row 12\n"
    "  ppsweep trace outputs/data/first.csv.gz --row 12 --compare 40 -o two.svg\n"
    "  ppsweep trace contention n=8 p_fwd_prop=a --compare p_fwd_prop=0.0 -o two.svg\n"
    "  ppsweep trace contention n=256 gpus=64 --gpus 0,31-33 --to 100 -o part.svg\n";

struct trace {
    const struct pps_args *args;
    struct pps_trace_point at;
    struct pps_trace_point second; // of --compare
    struct pps_group_list gpus;    // of --gpus
    int artifact;                  // of --as, or -1
    char path[1200];               // "-": stdout
    struct pps_tracewrite write;
};

static enum pps_status choose_point(struct trace *t, struct pps_error *err)
{
    const char *compare = pps_arg(t->args, "compare");
    enum pps_status status = pps_trace_point_choose(&t->at, t->args, NULL, err);
    if (status == PPS_OK && pps_arg(t->args, "as") != NULL)
        status = pps_artifact_find(t->at.kernel, pps_arg(t->args, "as"), &t->artifact, err);
    else if (status == PPS_OK && t->at.kernel->trace_names == NULL)
        status = pps_fail(err, PPS_E_INPUT, "the kernel %s has no traces", t->at.kernel->name);
    if (status == PPS_OK)
        status = pps_point_check(t->at.kernel, t->at.point, err);
    if (status == PPS_OK && compare != NULL)
        status = pps_trace_point_choose(&t->second, t->args, compare, err);
    if (status == PPS_OK && compare != NULL)
        status = pps_point_check(t->second.kernel, t->second.point, err);
    return status;
}

// ---- the output -------------------------------------------------------------------------------

// Chooses the form of a timeline from --format or the name of the file.
static enum pps_status choose_form(struct trace *t, struct pps_error *err)
{
    const char *path = pps_arg(t->args, "output"), *format = pps_arg(t->args, "format");
    t->write.form = PPS_TRACE_JSON;
    if (format != NULL && t->artifact >= 0)
        return pps_fail(err, PPS_E_INPUT, "--format and --as cannot be used together");
    if (format != NULL && !pps_trace_form_named(format, &t->write.form))
        return pps_fail(err, PPS_E_INPUT, "--format %s: expected perfetto, svg, png or csv",
                        format);
    if (format == NULL && path != NULL && t->artifact < 0 &&
        !pps_trace_form_of(path, &t->write.form))
        return pps_fail(err, PPS_E_INPUT,
                        "-o %s: end the name in .json, .svg, .png or .csv, or add --format",
                        path);
    return PPS_OK;
}

static enum pps_status choose_output(struct trace *t, struct pps_error *err)
{
    static const char *const endings[] = {[PPS_TRACE_JSON] = "json",
                                          [PPS_TRACE_SVG] = "svg",
                                          [PPS_TRACE_TEXT] = "csv",
                                          [PPS_TRACE_PNG] = "png"};
    const char *path = pps_arg(t->args, "output");
    const struct pps_artifact *artifact =
        t->artifact >= 0 ? &t->at.kernel->artifacts[t->artifact] : NULL;
    const enum pps_status status = choose_form(t, err);
    if (status != PPS_OK)
        return status;
    if (path != NULL)
        snprintf(t->path, sizeof t->path, "%s", path);
    else if (artifact != NULL)
        snprintf(t->path, sizeof t->path, TRACE_FOLDER "/%s-%s%s", t->at.stem, artifact->name,
                 artifact->ending);
    else
        snprintf(t->path, sizeof t->path, TRACE_FOLDER "/%s.%s", t->at.stem,
                 endings[t->write.form]);
    t->write.path = t->path;
    t->write.gate = pps_arg_gate(t->args);
    return strcmp(t->path, "-") == 0 ? PPS_OK : pps_gate_check(t->write.gate, t->path, err);
}

static bool is_picture(const struct trace *t)
{
    return t->write.form == PPS_TRACE_SVG || t->write.form == PPS_TRACE_PNG;
}

// Returns PPS_E_INPUT for options that do not fit to --as or to CSV.
static enum pps_status check_options(const struct trace *t, struct pps_error *err)
{
    static const char *const names[] = {"utilisation", "compare", "gpus",
                                        "from",        "to",      "width"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (pps_arg(t->args, names[k]) == NULL)
            continue;
        if (t->artifact >= 0)
            return pps_fail(err, PPS_E_INPUT, "--%s and --as cannot be used together",
                            names[k]);
        if (k < 2 && t->write.form == PPS_TRACE_TEXT)
            return pps_fail(err, PPS_E_INPUT,
                            "--%s is not for CSV; write -o NAME.svg, NAME.png or NAME.json",
                            names[k]);
    }
    return PPS_OK;
}

// Reads a time of the timeline: in the unit of the model, or with a unit behind it.
static enum pps_status read_time(const struct trace *t, const char *name, double *time,
                                 struct pps_error *err)
{
    const struct pps_trace_names *names = t->at.kernel->trace_names;
    const char *text = pps_arg(t->args, name);
    const char *unit = names != NULL ? names->time_unit : NULL;
    if (text == NULL || pps_time_unit_read(text, unit, time))
        return PPS_OK;
    if (pps_time_unit_is_physical(unit))
        return pps_fail(
            err, PPS_E_INPUT,
            "--%s %s: expected a time in %s from 0 up, or one as in 1.5s, 20ms, 300us", name,
            text, unit);
    return pps_fail(err, PPS_E_INPUT,
                    "--%s %s: expected a number from 0 up; times of %s have no unit", name,
                    text, t->at.kernel->name);
}

// Chooses the part of the timeline that is written.
static enum pps_status choose_part(struct trace *t, struct pps_error *err)
{
    const char *from = pps_arg(t->args, "from"), *to = pps_arg(t->args, "to");
    const char *gpus = pps_arg(t->args, "gpus");
    struct pps_trace_window *window = &t->write.window;
    *window = (struct pps_trace_window){0, (double)INFINITY};
    enum pps_status status = check_options(t, err);
    if (status == PPS_OK)
        status = read_time(t, "from", &window->from, err);
    if (status == PPS_OK)
        status = read_time(t, "to", &window->to, err);
    if (status == PPS_OK && window->from >= window->to)
        status = pps_fail(err, PPS_E_INPUT, "--from %s is not before --to %s", from, to);
    if (status == PPS_OK && gpus != NULL)
        status = pps_group_list_read(&t->gpus, "--gpus", gpus, err);
    if (status == PPS_OK)
        status = pps_arg_number(t->args, "width", 60, 1000, &t->write.width, err);
    t->write.groups = gpus != NULL ? &t->gpus : NULL;
    t->write.loads = pps_arg(t->args, "utilisation") != NULL;
    return status;
}

static enum pps_status view_named(struct trace *t, const char *name, struct pps_error *err)
{
    const struct pps_trace_view *view = t->at.kernel->trace_names->views;
    char names[128] = "";
    size_t at = 0;
    for (; view != NULL && view->name != NULL && at < sizeof names; view++) {
        if (strcmp(view->name, name) == 0) {
            t->write.view = view;
            return PPS_OK;
        }
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? " or " : "",
                               view->name);
    }
    if (at == 0)
        return pps_fail(err, PPS_E_INPUT, "--view %s: the kernel %s has one view only", name,
                        t->at.kernel->name);
    return pps_fail(err, PPS_E_INPUT, "--view %s: expected %s", name, names);
}

// Chooses the view of --view; otherwise the view that the result was made for, if any.
static enum pps_status choose_view(struct trace *t, struct pps_error *err)
{
    const char *name = pps_arg(t->args, "view");
    cJSON *manifest = NULL;
    enum pps_status status = PPS_OK;
    if (t->artifact >= 0)
        return name == NULL
                   ? PPS_OK
                   : pps_fail(err, PPS_E_INPUT, "--view and --as cannot be used together");
    if (name == NULL && t->at.result != NULL) {
        status = pps_manifest_known(t->at.result, &manifest, err);
        name = cJSON_GetStringValue(pps_json_member(manifest, "view"));
    }
    if (status == PPS_OK && name != NULL)
        status = view_named(t, name, err);
    cJSON_Delete(manifest);
    return status;
}

static void note_shown(const struct trace *t)
{
    static const char *const names[] = {"show-throttling", "show-completion-time", "width"};
    for (int k = 0; k < 3; k++)
        if (pps_arg(t->args, names[k]) != NULL && !is_picture(t) &&
            pps_arg(t->args, "quiet") == NULL)
            pps_say(stderr, "note      --%s is for pictures: write -o NAME.svg or NAME.png",
                    names[k]);
}

// ---- the trace --------------------------------------------------------------------------------

static enum pps_status run_kernel(void *self, const struct pps_trace_sink *sink,
                                  struct pps_error *err)
{
    const struct pps_trace_point *at = self;
    struct pps_worker worker;
    enum pps_status status =
        pps_point_worker(at->kernel, at->point, pps_signals_install(), &worker, err);
    if (status != PPS_OK)
        return status;
    const enum pps_outcome outcome = pps_kernel_trace(at->kernel, at->point, &worker, sink);
    free(worker.scratch);
    // An infeasible point has a timeline: it shows what exceeds the limit.
    return outcome == PPS_INFEASIBLE ? PPS_OK
                                     : pps_point_outcome(outcome, "this point", "", err);
}

// Notes on stderr how the written timeline differs from what the user asked for.
static void note_written(const struct trace *t, const struct pps_tracewritten *written)
{
    if (pps_arg(t->args, "quiet") != NULL)
        return;
    if (written->loads)
        pps_say(stderr, "note      too many tasks for a picture: it shows the utilisation of "
                        "lanes; --gpus, --from and --to choose a part");
    if (t->write.form == PPS_TRACE_JSON && written->scale != 1)
        pps_say(stderr,
                "note      times are multiplied by %.10g: Perfetto shows nothing below 0.001",
                written->scale);
    if (strcmp(t->path, "-") != 0)
        pps_trace_say_next(stderr, t->write.form);
}

static enum pps_status write_timeline(struct trace *t, struct pps_error *err)
{
    const bool pair = t->second.kernel != NULL;
    struct pps_tracewritten written = {.scale = 1};
    char *title = pps_trace_title(&t->at);
    char *second = pair ? pps_trace_title_second(&t->at, &t->second) : NULL;
    enum pps_status status =
        title == NULL || (pair && second == NULL) ? pps_fail_memory(err, "the trace") : PPS_OK;
    t->write.title = title;
    t->write.names = t->at.kernel->trace_names;
    t->write.tell = run_kernel;
    t->write.self = &t->at;
    t->write.second = pair ? &t->second : NULL;
    t->write.second_title = second;
    t->write.written = &written;
    if (status == PPS_OK)
        status = pps_tracewrite(&t->write, err);
    if (status == PPS_OK)
        note_written(t, &written);
    free(title);
    free(second);
    return status;
}

static enum pps_status write_artifact(const struct trace *t, struct pps_error *err)
{
    const struct pps_artifact_file to = {.path = t->path,
                                         .gate = t->write.gate,
                                         .stop = pps_signals_install()};
    return pps_artifact_write(t->at.kernel, t->artifact, t->at.point, &to, err);
}

static enum pps_status write_file(struct trace *t, struct pps_error *err)
{
    const enum pps_status status =
        t->artifact >= 0 ? write_artifact(t, err) : write_timeline(t, err);
    if (status == PPS_OK && strcmp(t->path, "-") != 0 && pps_arg(t->args, "quiet") == NULL)
        pps_say(stdout, "%s", t->path);
    return status;
}

static enum pps_status trace_main(const struct pps_args *args, struct pps_error *err)
{
    struct trace t = {.args = args, .artifact = -1};
    enum pps_status status = choose_point(&t, err);
    if (status == PPS_OK)
        status = choose_output(&t, err);
    if (status == PPS_OK)
        status = choose_part(&t, err);
    if (status == PPS_OK)
        status = choose_view(&t, err);
    if (status == PPS_OK) {
        note_shown(&t);
        status = write_file(&t, err);
    }
    pps_trace_point_close(&t.at);
    pps_trace_point_close(&t.second);
    return status;
}

const struct pps_command pps_command_trace = {
    .name = "trace",
    .summary = "write the timeline of a point, or of two, as SVG, PNG, Perfetto JSON or CSV",
    .usage = "[options] RESULT | [KERNEL] [KEY=VALUE ...]",
    .details = details,
    .options = options,
    .params = params,
    .max_words = -1,
    .kernels = true,
    .main = trace_main,
};
