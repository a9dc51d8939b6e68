// SPDX-License-Identifier: Apache-2.0
// Writes what `ppsweep check` knows as one JSON object.
#include "planner/check/checked.h"

#include "base/edit/json_write.h"
#include "base/math/units.h"

#include <inttypes.h>
#include <math.h>

static void number(struct text_buffer *out, const char *before, double value)
{
    text_buffer_add(out, "%s", before);
    json_write_number(out, value);
}

static void add_model(struct text_buffer *out, const struct configuration *c)
{
    struct modeldesc_counts counts;
    modeldesc_count(&c->model, &counts);
    text_buffer_add(out, "\"model\": {\"name\": ");
    json_write_text(out, c->model.name);
    text_buffer_add(out, ", \"parameters\": %" PRId64 ", \"active_parameters\": %" PRId64,
                    counts.total, counts.active);
    if (c->model.mtp_depth > 0)
        text_buffer_add(out, ", \"mtp_parameters\": %" PRId64,
                        c->model.mtp_depth * counts.mtp_module);
    if (c->model.image_tower > 0)
        text_buffer_add(out, ", \"image_tower_parameters\": %" PRId64, c->model.image_tower);
    if (c->model.audio_tower > 0)
        text_buffer_add(out, ", \"audio_tower_parameters\": %" PRId64, c->model.audio_tower);
    if (c->training.frozen)
        number(out, ", \"trained_parameters\": ", configuration_trained(c));
    text_buffer_add(out, "},\n");
}

static const char *recompute_word(const struct configuration *c)
{
    int64_t full = 0, select = 0;
    for (int32_t k = 0; k < c->n_parts; k++) {
        full += c->parts[k].full[0] + c->parts[k].full[1];
        select += c->parts[k].select[0] + c->parts[k].select[1];
    }
    return full > 0 ? "full" : select > 0 ? "select" : "none";
}

static void add_strategy(struct text_buffer *out, const struct configuration *c)
{
    const struct nd_strategy *s = &c->strategy;
    text_buffer_add(
        out,
        " \"strategy\": {\"dp\": %d, \"tp\": %d, \"cp\": %d, \"pp\": %d, \"vp\": %d, "
        "\"ep\": %d, \"op\": %d, \"mbs\": %d, \"gbs\": %" PRId64 ", \"seq_length\": %" PRId64
        ", \"sp\": %s, \"schedule\": ",
        s->dp, s->tp, s->cp, s->pp, s->vp, s->ep, s->op, s->mbs, c->training.gbs,
        c->model.seq_length, s->sp ? "true" : "false");
    json_write_text(out, configuration_schedule(c));
    text_buffer_add(
        out, ", \"recompute\": \"%s\"},\n \"precision\": \"%s\", \"devices\": %" PRId64 ",\n",
        recompute_word(c), training_precision_word(c->training.precision),
        c->cluster.world_size);
}

enum list { LAYERS, FULL, SELECT };

static int32_t value_of(const struct configuration_part *part, enum list list)
{
    return list == LAYERS ? configuration_part_layers(part)
           : list == FULL ? part->full[0] + part->full[1]
                          : part->select[0] + part->select[1];
}

static void add_list(struct text_buffer *out, const char *name, const struct configuration *c,
                     enum list list)
{
    text_buffer_add(out, " \"%s\": [", name);
    for (int32_t v = 0; v < c->strategy.vp; v++) {
        text_buffer_add(out, v > 0 ? ", [" : "[");
        for (int32_t d = 0; d < c->strategy.pp; d++)
            text_buffer_add(out, d > 0 ? ", %d" : "%d",
                            value_of(&c->parts[configuration_part_at(c, v, d)], list));
        text_buffer_add(out, "]");
    }
    text_buffer_add(out, "],\n");
}

// ---- the step -----------------------------------------------------------------------------------

static void add_times(struct text_buffer *out, const struct checked *checked)
{
    const struct configuration_step *step = &checked->step;
    const double within =
        checked->group != NULL ? nd_left_out_band(checked->group) : (double)NAN;
    number(out, " \"step_seconds\": ", step->seconds);
    number(out, ", \"step_seconds_low\": ", step->seconds * (1 - within));
    number(out, ", \"step_seconds_high\": ", step->seconds * (1 + within));
    number(out, ", \"pipeline_seconds\": ", step->pipeline);
    number(out, ", \"pipeline_bound_seconds\": ", step->bound);
    number(out, ", \"mfu\": ", step->mfu);
    number(out, ", \"hfu\": ", step->hfu);
    text_buffer_add(out, ",\n \"parts\": {");
    for (int k = 0; k < CONFIGURATION_TIMES; k++) {
        text_buffer_add(out, "%s\"%s\": ", k > 0 ? ", " : "", configuration_time_names[k]);
        json_write_number(out, step->times[k]);
    }
    text_buffer_add(out, "},\n \"overhead\": {");
    for (int k = CONFIGURATION_RECOMPUTE; k <= CONFIGURATION_TRANSFER; k++) {
        text_buffer_add(out, "%s\"%s\": ", k > CONFIGURATION_RECOMPUTE ? ", " : "",
                        configuration_time_names[k]);
        json_write_number(out, step->times[k] / step->useful);
    }
    text_buffer_add(out, "},\n");
}

static void add_stages(struct text_buffer *out, const struct checked *checked)
{
    const struct configuration *c = &checked->plan.configuration;
    text_buffer_add(out, " \"stages\": [");
    for (int32_t d = 0; d < c->strategy.pp; d++) {
        const struct configuration_device *device = &checked->step.devices[d];
        number(out, d > 0 ? ",\n  {\"peak_gib\": " : "\n  {\"peak_gib\": ",
               units_to_gib(device->peak));
        number(out, ", \"busy\": ", device->busy);
        text_buffer_add(out, ", \"causes\": {");
        for (int m = 0; m < CONFIGURATION_MEMORIES; m++) {
            text_buffer_add(out, "%s\"%s\": ", m > 0 ? ", " : "",
                            configuration_memory_names[m]);
            json_write_number(out, units_to_gib(device->memory[m]));
        }
        text_buffer_add(out, "}}");
    }
    text_buffer_add(out, "],\n");
    number(out, " \"peak_gib\": ", units_to_gib(checked->step.peak));
    number(out, ", \"memory_gib\": ", units_to_gib(c->cluster.memory_limit));
    text_buffer_add(out, ", \"fits\": %s", checked_fits(checked) ? "true" : "false");
    number(out, ", \"fit_probability\": ",
           nd_fit_probability(nd_memory_group(&c->training), checked->step.peak,
                              c->cluster.memory_limit));
    text_buffer_add(out, ",\n");
}

static void add_changes(struct text_buffer *out, const struct checked *checked)
{
    text_buffer_add(out, " \"at_once\": [");
    for (int k = 0; k < checked->n_changes; k++) {
        const struct checked_change *change = &checked->changes[k];
        text_buffer_add(out, "%s{\"change\": \"%s\"", k > 0 ? ", " : "", change->label);
        number(out, ", \"step_seconds\": ", change->seconds);
        number(out, ", \"peak_gib\": ", units_to_gib(change->peak));
        text_buffer_add(out, ", \"fits\": %s}", change->fits ? "true" : "false");
    }
    text_buffer_add(out, "],\n");
}

// ---- what was read ------------------------------------------------------------------------------

static void add_not_modelled(struct text_buffer *out, const struct plan_run *run)
{
    int n = 0;
    text_buffer_add(out, " \"not_modelled\": [");
    for (int d = 0; d < run->n_documents; d++)
        for (size_t k = 0; k < run->documents[d].not_modelled.n; k++) {
            const struct framework_key *key = &run->documents[d].not_modelled.list[k];
            text_buffer_add(out, n++ > 0 ? ", {\"key\": " : "{\"key\": ");
            json_write_text(out, key->name);
            struct text_buffer place = {.text = NULL};
            text_buffer_add(&place, "%s:%d:%d", run->documents[d].json.name, key->line,
                            key->column);
            text_buffer_add(out, ", \"place\": ");
            json_write_text(out, place.text != NULL ? place.text : "");
            out->failed = out->failed || place.failed;
            text_buffer_free(&place);
            text_buffer_add(out, "}");
        }
    text_buffer_add(out, "],\n");
}

static void add_assumed(struct text_buffer *out, const struct checked *checked)
{
    const struct configuration *c = &checked->plan.configuration;
    char trust[ND_TRUST_TEXT];
    text_buffer_add(out, " \"assumed\": [");
    json_write_text(out, nd_trust_text(&c->cluster.hardware, &c->training, &c->model, trust));
    if (checked->run.assumes_memory) {
        struct text_buffer text = {.text = NULL};
        text_buffer_add(&text, "%s: %.6g GiB per device, of which %.4g GiB are reserved",
                        c->cluster.hardware.name, units_to_gib(c->cluster.memory_limit),
                        units_to_gib(c->cluster.reserve));
        text_buffer_add(out, ", ");
        json_write_text(out, text.text != NULL ? text.text : "");
        out->failed = out->failed || text.failed;
        text_buffer_free(&text);
    }
    text_buffer_add(out, "]");
}

void checked_json_members(const struct checked *checked, struct text_buffer *out)
{
    const struct configuration *c = &checked->plan.configuration;
    add_model(out, c);
    add_strategy(out, c);
    add_list(out, "layers", c, LAYERS);
    add_list(out, "recomputed", c, FULL);
    add_list(out, "partly_recomputed", c, SELECT);
    add_times(out, checked);
    add_stages(out, checked);
    add_changes(out, checked);
    add_not_modelled(out, &checked->run);
    add_assumed(out, checked);
}

void checked_json(const struct checked *checked, struct text_buffer *out)
{
    text_buffer_add(out, "{");
    checked_json_members(checked, out);
    text_buffer_add(out, "}\n");
}
