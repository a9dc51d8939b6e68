// SPDX-License-Identifier: Apache-2.0
// Reads models whose layers are of several kinds: hybrids of Megatron-LM, linear attention, windows of some
// layers, and experts in some layers.
#include "kernels/frameworks/megatron/megatron_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a layer is. Words are those of the run document.
struct kind {
    const char *mixer, *network;
    int64_t window, norms; // norms 0: as the model
};

enum { MOST_KINDS = 16 };

static const char *pattern_of(const struct megatron *m, enum megatron_key *key)
{
    *key = megatron_has(m, MG_HYBRID) ? MG_HYBRID : MG_HYBRID_OLD;
    return megatron_has(m, *key) ? m->values[*key].text : NULL;
}

// Megatron-LM warns of a --num-layers that differs from --hybrid-layer-pattern, and ignores it.
static bool note_other_layers(const struct megatron *m, long long n)
{
    char text[96];
    snprintf(text, sizeof text,
             "num-layers %lld: ignored, --hybrid-layer-pattern has %lld layers",
             (long long)m->values[MG_LAYERS].number, n);
    return framework_not_modelled(m->r, text, m->values[MG_LAYERS].at);
}

bool megatron_pattern_layers(struct megatron *m)
{
    enum megatron_key key;
    const char *pattern = pattern_of(m, &key);
    if (pattern == NULL)
        return true;
    const size_t n = strspn(pattern, "M*-EG");
    if (pattern[n] != '\0')
        return megatron_fail(m, key,
                             "%.1s: only M, *, -, E and G are supported, without parts for "
                             "pipeline stages and MTP modules",
                             pattern + n);
    if (megatron_has(m, MG_LAYERS) && m->values[MG_LAYERS].number != (int64_t)n &&
        key == MG_HYBRID_OLD)
        return megatron_fail(m, key, "has %zu layers, --num-layers is %lld", n,
                             (long long)m->values[MG_LAYERS].number);
    if (megatron_has(m, MG_LAYERS) && m->values[MG_LAYERS].number != (int64_t)n &&
        !note_other_layers(m, (long long)n))
        return false;
    m->values[MG_LAYERS] = (struct megatron_value){.given = true,
                                                   .number = (int64_t)n,
                                                   .at = m->values[key].at,
                                                   .name = "num-layers"};
    return true;
}

// ---- lists of layers -------------------------------------------------------------------------

// Reads a list, or a period N: each N-th layer, counted from 1, is no such layer.
static bool read_marks(const struct megatron *m, enum megatron_key key, bool *marks, int64_t n)
{
    const char *text = m->values[key].text;
    const long long period = strtoll(text, NULL, 10);
    bool ok = text[0] != '\0';
    if (ok && strspn(text, "0123456789") == strlen(text)) {
        for (int64_t i = 0; i < n && period > 0; i++)
            marks[i] = (i + 1) % period != 0;
        ok = period > 0;
    } else {
        ok = ok && megatron_read_frequency(text, marks, n);
    }
    return ok || megatron_fail(m, key,
                               "expected a period, or a list as ([1]*3+[0]*1)*4, one number "
                               "for each of %lld layers",
                               (long long)n);
}

static struct kind block_of(char sign)
{
    switch (sign) {
    case 'M':
        return (struct kind){"mamba2", "none", 0, 1};
    case 'G':
        return (struct kind){"gated_delta_net", "none", 0, 1};
    case '*':
        return (struct kind){"attention", "none", 0, 1};
    case 'E':
        return (struct kind){"none", "experts", 0, 1};
    default:
        return (struct kind){"none", "dense", 0, 1};
    }
}

// ---- the document ----------------------------------------------------------------------------

static bool is_same(const struct kind *a, const struct kind *b)
{
    return strcmp(a->mixer, b->mixer) == 0 && strcmp(a->network, b->network) == 0 &&
           a->window == b->window && a->norms == b->norms;
}

static cJSON *document_of(const struct kind *kind)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "mixer", kind->mixer);
    cJSON_AddStringToObject(object, "network", kind->network);
    cJSON_AddNumberToObject(object, "attention_window", (double)kind->window);
    if (kind->norms > 0)
        cJSON_AddNumberToObject(object, "layer_norms", (double)kind->norms);
    return object;
}

// MTP modules have a layer like the last one.
static bool put_layers(const struct megatron *m, const struct kind *of, size_t at)
{
    const int64_t n = m->layers, all = n + megatron_number(m, MG_MTP, 0);
    struct kind kinds[MOST_KINDS];
    int n_kinds = 0;
    cJSON *list = cJSON_CreateArray(), *pattern = cJSON_CreateArray();
    for (int64_t i = 0; i < all; i++) {
        const struct kind *kind = &of[i < n ? i : n - 1];
        int k = 0;
        while (k < n_kinds && !is_same(&kinds[k], kind))
            k++;
        if (k == n_kinds && k < MOST_KINDS) {
            kinds[n_kinds++] = *kind;
            cJSON_AddItemToArray(list, document_of(kind));
        }
        cJSON_AddItemToArray(pattern, cJSON_CreateNumber(k));
    }
    const bool ok = framework_put(m->r, FRAMEWORK_MODEL, "layer_kinds", list, at);
    if (!ok)
        cJSON_Delete(pattern);
    return ok && framework_put(m->r, FRAMEWORK_MODEL, "layer_pattern", pattern, at);
}

static bool put_scan(const struct megatron *m, const char *name, enum megatron_key key,
                     int64_t x)
{
    return framework_put_number(m->r, FRAMEWORK_MODEL, name, (double)megatron_number(m, key, x),
                                megatron_at(m, key));
}

// Defaults: TransformerConfig of Megatron Core d98e8a64; MambaMixer, whose inner width is two hidden sizes.
static bool put_mamba(const struct megatron *m)
{
    const int64_t width = megatron_number(m, MG_MAMBA_HEAD_DIM, 64);
    return put_scan(m, "scan_heads", MG_MAMBA_HEADS,
                    2 * megatron_number(m, MG_HIDDEN, 0) / width) &&
           put_scan(m, "scan_head_dim", MG_MAMBA_HEAD_DIM, width) &&
           put_scan(m, "scan_groups", MG_MAMBA_GROUPS, 8) &&
           put_scan(m, "scan_state", MG_MAMBA_STATE, 128) &&
           framework_put_number(m->r, FRAMEWORK_MODEL, "scan_conv", 4, m->at) &&
           framework_put_bool(m->r, FRAMEWORK_MODEL, "scan_conv_bias", true, m->at);
}

static bool put_delta(const struct megatron *m)
{
    return put_scan(m, "scan_heads", MG_LINEAR_VALUE_HEADS, 32) &&
           put_scan(m, "scan_head_dim", MG_LINEAR_VALUE_DIM, 128) &&
           put_scan(m, "scan_groups", MG_LINEAR_KEY_HEADS, 16) &&
           put_scan(m, "scan_state", MG_LINEAR_KEY_DIM, 128) &&
           put_scan(m, "scan_conv", MG_LINEAR_CONV, 4);
}

// ---- models ----------------------------------------------------------------------------------

// `of` has room for all layers.
static bool put_pattern(const struct megatron *m, enum megatron_key key, const char *pattern,
                        struct kind *of)
{
    const bool mamba = strchr(pattern, 'M') != NULL, delta = strchr(pattern, 'G') != NULL;
    if (megatron_has(m, MG_MTP) && m->values[MG_MTP].number > 0)
        return megatron_fail(m, key, "MTP modules beside such layers are not supported");
    if (mamba && delta)
        return megatron_fail(m, key, "only one of M and G is supported in a model");
    if (strchr(pattern, 'E') != NULL && megatron_number(m, MG_EXPERTS, 0) == 0)
        return megatron_fail(m, key,
                             "has layers with experts (E), but --num-experts is missing");
    for (int64_t i = 0; i < m->layers; i++)
        of[i] = block_of(pattern[i]);
    return put_layers(m, of, m->values[key].at) && (!mamba || put_mamba(m)) &&
           (!delta || put_delta(m));
}

static bool put_lists(const struct megatron *m, const bool *experts, int64_t window,
                      struct kind *of)
{
    static const char *const networks[] = {"dense", "experts"};
    bool windows[MEGATRON_MOST_LAYERS], linear[MEGATRON_MOST_LAYERS];
    const bool some = megatron_has(m, MG_WINDOW_SKIP),
               has_linear =
                   megatron_has(m, MG_VARIANT) && !megatron_is(m, MG_VARIANT, "dsa", NULL);
    if (some && window > 0 && !read_marks(m, MG_WINDOW_SKIP, windows, m->layers))
        return false;
    if (has_linear && !read_marks(m, MG_LINEAR_ATTENTION, linear, m->layers))
        return false;
    for (int64_t i = 0; i < m->layers; i++) {
        const bool is_linear = has_linear && linear[i];
        of[i] = (struct kind){is_linear ? "gated_delta_net" : "attention", networks[experts[i]],
                              is_linear || (some && window > 0 && !windows[i]) ? 0 : window, 0};
    }
    return put_layers(m, of,
                      megatron_at(m, has_linear ? MG_LINEAR_ATTENTION : MG_WINDOW_SKIP)) &&
           (!has_linear || put_delta(m));
}

bool megatron_put_kinds(const struct megatron *m, const bool *experts, int64_t window)
{
    enum megatron_key key;
    const char *pattern = pattern_of(m, &key);
    struct kind of[MEGATRON_MOST_LAYERS];
    if (megatron_noop_between(m, 0, m->values[MG_LAYERS].number) > 0)
        return megatron_fail(m, MG_NOOP, "layers of several kinds are not supported beside it");
    return pattern != NULL ? put_pattern(m, key, pattern, of)
                           : put_lists(m, experts, window, of);
}
