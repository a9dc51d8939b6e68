# Writes the commit of the source tree FROM as a C file to OUT, only if it changed, so that a build without a new
# commit compiles nothing:
#   cmake -DFROM=. -DOUT=commit.c -DCOMMIT= -P packaging/commit.cmake
# COMMIT is used instead of git if it is not empty: packages are built outside of a repository.
set(commit "${COMMIT}")
if(commit STREQUAL "" AND EXISTS ${FROM}/.git)
  execute_process(COMMAND git -C ${FROM} describe --always --dirty --tags OUTPUT_VARIABLE commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  endif()
endif()
if(NOT commit MATCHES "^[A-Za-z0-9._/+-]+$")
  set(commit unknown)
endif()
set(text "// Made by packaging/commit.cmake.\n#include \"engine/cli/commit.h\"\n\nconst char pps_commit[] = \"${commit}\";\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT text STREQUAL "${old}")
  file(WRITE ${OUT} "${text}")
endif()
