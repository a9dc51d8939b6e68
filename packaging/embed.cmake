# Writes the files of the folder FROM as C arrays to OUT: an array TYPEs of struct TYPE, which HEADER declares.
#   cmake -DFROM=engine/report/page -DOUT=page_files.c -DTYPE=pps_page_file -DHEADER=engine/report/page_files.h
#     -P packaging/embed.cmake
file(GLOB files ${FROM}/*)
list(SORT files)
set(arrays "")
set(table "")
set(k 0)
foreach(path IN LISTS files)
  get_filename_component(name ${path} NAME)
  file(READ ${path} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const unsigned char file_${k}[] = {${bytes}};\n")
  string(APPEND table "    {\"${name}\", file_${k}, sizeof file_${k}},\n")
  math(EXPR k "${k} + 1")
endforeach()
file(WRITE ${OUT}.new "// Made by packaging/embed.cmake.\n#include \"${HEADER}\"\n\n${arrays}\n"
  "const struct ${TYPE} ${TYPE}s[] = {\n${table}    {NULL, NULL, 0},\n};\n")
file(RENAME ${OUT}.new ${OUT})
