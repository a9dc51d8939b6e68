// SPDX-License-Identifier: Apache-2.0
// A software stack describes how well a training framework uses a device: which share of the
// device's efficiencies it reaches, which exchanges it hides behind computation, and what it
// keeps in memory besides the tensors of the model. The device record (hardware.h) describes the
// machine; a stack multiplies its efficiencies.
#pragma once

#include "base/document/fault.h"
#include "kernels/common/description/hardware.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Factors of a device's efficiencies.
struct stack_rates {
    double gemm, attention, memory, link;
    double
        across; // bytes/s that one device reaches across nodes at most; 0: the rate of its link
};

enum { STACK_DEVICES = 4 };

// A share of a time or of bytes is 0 ... 1.
struct stack {
    char name[32];
    char base
        [32]; // built-in record that it changes or renames; "": it is the record of its name
    bool assumed; // nothing says which stack it is: stack_settle may choose by the device
    struct stack_rates rates;
    // Devices on which the factors differ, with all devices that have their efficiencies.
    struct {
        char device[32];
        struct stack_rates rates;
    } on[STACK_DEVICES];
    int n_on;

    double scale; // factor of all times: what one measured step says of a cluster
    double
        attention_half;  // tokens of a slice of the sequence at which attention is half as fast
    double grouped;      // factor of the rate of products of experts
    double grouped_half; // tokens per expert at which these products are half as fast
    double imbalance;    // tokens of the busiest expert rank over the mean of all ranks
    double stream; // factor of the memory traffic of norms and of sums of the residual stream
    double gap; // s, what starts and ends of kernels add to a layer's forward or backward pass
    double launch; // s, least time of a layer's forward or backward pass: launching kernels
    double launch_experts; // s, the same of a layer with experts, if it is longer

    // Shares of the exchanges that are never hidden. The rest hides behind computation of the same
    // layer; what does not fit there is exposed, too.
    double tp_exposed, cp_exposed, ep_exposed;
    bool shared_overlap; // shared experts compute beside the exchange of tokens
    bool ep_dualpipe; // ep_exposed holds with the schedule dualpipe; with others all is exposed
    double pp_exposed; // of transfers between chunks, besides those that fill the pipeline
    double
        dp_hidden; // share of a stage's time of one micro-batch that hides the exchange of replicas
    double dp_exposed; // share of this exchange that is never hidden
    double
        gather_exposed; // share of the gather of parameters of ZeRO level 1 that nothing hides
    double zero_hidden; // the same for the exchanges of every micro-batch (ZeRO levels 2 and 3)
    double zero_exposed; // share of these exchanges that is never hidden

    double hop;    // s that each node of a group adds to an exchange across nodes
    double bucket; // bytes that replicas exchange with one call; 0: all at once

    bool node_copies;         // a token travels once to each node, not once to each expert
    double dispatch, combine; // bytes per element of tokens on their way to experts and back
    double quantise;          // bytes of memory traffic per element that is converted to 8 bits

    // Bytes per element that experts store of their outputs, and of the inputs of their activation
    // function.
    double expert_outputs, expert_hidden;
    // Norms before the matrices of queries, keys and values and of a dense network are part of these products:
    // module layernorm frees nothing there.
    bool fused_norms;
    bool kept_8bit; // inputs of 8-bit products are stored in 8 bits
    // Share of products whose outputs mode select keeps, besides those of attention; 0: mode select
    // drops what kernels/ndsearch/model.md lists.
    double select_products;
    double select_again; // share of the time of products that this mode then makes again
    // Mode full does not make the last products of a layer again: nothing needs their outputs.
    bool early_stop;
    double logits; // bytes per logit on the last stage
    // Without a flash kernel: bytes per attention score that exist at once while a layer computes its
    // attention, those included that it stores; 0: no more than these.
    double scores;
    bool context_gathered; // context ranks gather all keys and values of a layer
    bool whole_logits;     // tensor ranks do not split the vocabulary of the logits
    double fragmentation;  // share of activations and transient memory that the allocator adds
    bool
        pipeline_whole; // with several stages, ZeRO levels 2 and 3 keep all but optimizer whole
    bool accumulation_whole; // the same for gradients with several micro-batches
};

// Returns the name of the built-in record that the stack is or comes from.
static inline const char *stack_base(const struct stack *stack)
{
    return stack->base[0] != '\0' ? stack->base : stack->name;
}

// The built-in record of this name; NULL: there is none.
const struct stack *stack_find(const char *name);

// All built-in records; *n of them. The first one is the default.
const struct stack *stack_all(int *n);

// Writes the names of all built-in records with commas between them; returns the text.
const char *stack_names(char *text, size_t size);

// Returns the stack of all published steps on devices with these efficiencies; NULL: there are none, or they are of several
// stacks.
const struct stack *stack_of_device(const struct hardware *hardware);

// The efficiencies of `hardware` with the factors of the stack.
void stack_apply(const struct stack *stack, struct hardware *hardware);

struct cJSON;

// Reads a name, or an object: name, base and the other members by their names, times in s, bytes
// per element. Missing fields come from the base, or from the built-in record of
// this name; otherwise from the default stack. An object that changes figures and has the name of a
// built-in record is called "NAME, changed".
bool stack_read(struct stack *stack, const struct cJSON *item, struct pps_fault *fault);

// Gives an assumed stack the figures of the stack with which all published steps on this device ran, if these are of
// one stack: the efficiencies of the device were fitted with it. Members that a file sets stay.
void stack_settle(struct stack *stack, const struct hardware *hardware);

// Returns the stack as an object that stack_read reads again: its name, its base and all figures that
// differ from the base; NULL: out of memory. The caller frees it.
struct cJSON *stack_document(const struct stack *stack);
