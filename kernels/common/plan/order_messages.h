// SPDX-License-Identifier: Apache-2.0
// Holds the sends and receives that stand among the operations of an order, as runtimes without buffers
// execute them: a device waits at each of them for the other end.
#pragma once

#include "kernels/common/plan/order.h"

// A send, or a receive, in an order of one direction. Both ends name the operation that makes the message.
struct order_message {
    int32_t
        before; // position of the operation that it stands before; n of the device: behind the last
    int32_t item;
    int16_t stage; // of the sender
    bool backward; // a gradient
    bool send;
};

// Messages of all devices, one device after the other, in the order in which a device comes to them. Every
// send has one receive, on another device, behind the operation that makes the message and before the one that
// needs it. A message that is not listed blocks nobody.
struct order_messages {
    int32_t *first; // [devices + 1]: of the device; the last one is the number of all
    struct order_message *list;
};

// Where an order can never go on; device -1: nowhere.
struct order_stuck {
    int32_t device, position;
};

// Lists the messages of an order of one direction without slices where PyTorch puts them: its devices are visited again
// and again, each runs one operation (or unit) if the input is there, and the message of the operation is appended at once to
// the lists of both ends. Every order that runs without blocking then runs with it. Returns false if an operation never
// runs (*stuck: where) or without memory. The caller calls order_messages_free in every case.
bool order_messages_place(const struct pipeline *pipeline, const struct order *order,
                          struct order_messages *messages, struct order_stuck *stuck);
void order_messages_free(struct order_messages *messages);
