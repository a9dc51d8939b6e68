# SPDX-License-Identifier: Apache-2.0
# Defines how scripts read numbers from texts, and how they write large ones. Every script reads the numbers
# of its file by num() or as columns of data, never by real() or by arithmetic with a text.

larger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b

# gnuplot refuses the text 4e+20 and reads 4.e+20.
exponent_at(s) = larger(strstrt(s, "e"), strstrt(s, "E"))
num(s) = exponent_at(s) == 0 || strstrt(s, ".") > 0 ? real(s) : \
    real(s[1:exponent_at(s) - 1] . "." . s[exponent_at(s):])

# Puts blanks between groups of three digits of the text of a number: 1 234.5. Parameters have none: a filter takes
# their text.
whole_end(s) = strstrt(s, ".") > 0 ? strstrt(s, ".") - 1 : strlen(s)
groups_of(w) = strlen(w) <= 3 ? w : groups_of(w[1:strlen(w) - 3]) . " " . w[strlen(w) - 2:]
spaced(s) = exponent_at(s) > 0 || whole_end(s) < 4 ? s : s[1:1] eq "-" ? "-" . spaced(s[2:]) : \
    groups_of(s[1:whole_end(s)]) . s[whole_end(s) + 1:]

# Formats 1234567 as 1 234 567.
grouped(v) = v < 1000 ? sprintf("%d", v) : sprintf("%s %03d", grouped(v / 1000), v % 1000)
