# The C library: shared and static libppsweep, ppsweep.pc and the CMake package ppsweep. All paths in
# the installed files are relative, so that an installation can be moved.
include(CMakePackageConfigHelpers)

# The shared library contains what the header needs of the layers below.
add_library(ppsweep_shared SHARED $<TARGET_OBJECTS:pps_library>)
target_link_libraries(ppsweep_shared PRIVATE pps_planner pps_engine pps_kernels)
set_target_properties(ppsweep_shared PROPERTIES OUTPUT_NAME ppsweep VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
# Symbols of static libraries such as libcsv stay inside, and missing symbols are errors.
target_link_options(ppsweep_shared PRIVATE LINKER:--exclude-libs,ALL)
if(NOT PPS_SANITIZE)
  target_link_options(ppsweep_shared PRIVATE LINKER:--no-undefined)
endif()

# Programs that link the static library do not redirect their allocations.
add_library(ppsweep_static STATIC $<TARGET_OBJECTS:pps_library> $<TARGET_OBJECTS:pps_planner>
  $<TARGET_OBJECTS:pps_engine>
  $<TARGET_OBJECTS:pps_kernels> $<FILTER:$<TARGET_OBJECTS:pps_base>,EXCLUDE,/allocations\\.c>)
set_target_properties(ppsweep_static PROPERTIES OUTPUT_NAME ppsweep LINKER_LANGUAGE C)

# Intermediate code for link-time optimisation fits one version of one compiler only, and contains
# paths of the source tree.
if(pps_fat_objects)
  add_custom_command(TARGET ppsweep_static POST_BUILD VERBATIM
    COMMAND ${CMAKE_OBJCOPY} --wildcard --remove-section=.gnu.lto_* $<TARGET_FILE:ppsweep_static>)
endif()

# What a program needs that links the static library.
set(pps_static_libs "-lcsv -lcjson -lyaml -lxxhash -lz -lgomp -lpthread -lm")
if(ISAL_FOUND)
  string(PREPEND pps_static_libs "-lisal ")
endif()

file(RELATIVE_PATH pps_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pps_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pps_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(packaging/ppsweep.pc.in ppsweep.pc @ONLY)
set(pps_cmakedir ${CMAKE_INSTALL_LIBDIR}/cmake/ppsweep)
configure_package_config_file(packaging/ppsweepConfig.cmake.in ppsweepConfig.cmake
  INSTALL_DESTINATION ${pps_cmakedir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(ppsweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS ppsweep_shared LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS ppsweep_static ARCHIVE COMPONENT development)
install(FILES include/ppsweep.h TYPE INCLUDE COMPONENT development)
install(DIRECTORY include/ppsweep TYPE INCLUDE COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ppsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/ppsweepConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/ppsweepConfigVersion.cmake DESTINATION ${pps_cmakedir} COMPONENT development)
