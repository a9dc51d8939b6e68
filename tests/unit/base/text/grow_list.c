// SPDX-License-Identifier: Apache-2.0
// Growing lists.
#include "base/text/grow_list.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

// Catches room that does not exist, lost items, and lists that grow by one item at a time.
Test(grow, keeps_the_contents)
{
    size_t *list = NULL, room = 0, moves = 0;
    for (size_t n = 0; n < 100000; n++) {
        const size_t before = room;
        list = pps_grow(list, &room, n + 1, sizeof *list);
        cr_assert(list != NULL && room > n);
        moves += room != before;
        list[n] = n;
    }
    for (size_t n = 0; n < 100000; n++)
        cr_assert_eq(list[n], n);
    cr_assert_lt(moves, 20);
    list = pps_grow(list, &room, 1000000, sizeof *list);
    cr_assert(list != NULL && room >= 1000000);
    list[999999] = 1;
    cr_assert_eq(list[99999], 99999);
    free(list);
}

// Catches sizes that wrap around, and a list that is lost in that case.
Test(grow, too_much)
{
    size_t room = 0;
    char *list = pps_grow(NULL, &room, 3, 1);
    const size_t before = room;
    list[2] = 'x';
    cr_assert_null(pps_grow(list, &room, SIZE_MAX / 8 + 2, 8));
    cr_assert(room == before && list[2] == 'x');
    free(list);
}
