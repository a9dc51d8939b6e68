// SPDX-License-Identifier: Apache-2.0
// Numbers that wait to be looked at, each at most once: the one with the smallest key is the next. A binary heap.
#pragma once

#include "kernels/common/plan/room.h"

#include <stdbool.h>
#include <string.h>

struct node_queue_entry {
    double key;
    int32_t node;
};

struct node_queue {
    struct node_queue_entry *heap;
    bool *waits; // [nodes]
    int32_t n;
};

static inline void node_queue_take(struct node_queue *queue, size_t nodes, struct room *room)
{
    queue->heap = room_take(room, nodes, sizeof *queue->heap);
    queue->waits = room_take(room, nodes, sizeof *queue->waits);
}

// Starts without numbers; those to come are below `nodes`.
static inline void node_queue_open(struct node_queue *queue, int32_t nodes)
{
    queue->n = 0;
    memset(queue->waits, 0, (size_t)nodes * sizeof *queue->waits);
}

static inline void node_queue_push(struct node_queue *queue, int32_t node, double key)
{
    struct node_queue_entry *heap = queue->heap;
    int32_t i = queue->n;
    if (queue->waits[node])
        return;
    queue->waits[node] = true;
    queue->n++;
    for (; i > 0 && heap[(i - 1) / 2].key > key; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = (struct node_queue_entry){key, node};
}

// Takes the next number; there is one.
static inline int32_t node_queue_pop(struct node_queue *queue)
{
    struct node_queue_entry *heap = queue->heap;
    const int32_t node = heap[0].node, n = --queue->n;
    const struct node_queue_entry last = heap[n];
    int32_t i = 0;
    for (int32_t child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && heap[child + 1].key < heap[child].key;
        if (heap[child].key >= last.key)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    queue->waits[node] = false;
    return node;
}

static inline void node_queue_clear(struct node_queue *queue)
{
    for (int32_t i = 0; i < queue->n; i++)
        queue->waits[queue->heap[i].node] = false;
    queue->n = 0;
}
