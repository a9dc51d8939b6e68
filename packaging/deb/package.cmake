# Debian packages by CPack: ppsweep (the program and its data), libppsweep0 (the shared library) and libppsweep-dev.
# `packaging/deb/build` builds them; a build with another prefix than /usr makes no sense as a package.
set(PPS_DEB_MAINTAINER "The ppsweep developers <developers@ppsweep.invalid>" CACHE STRING
  "Name and address in Debian packages of whoever builds and distributes them")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ppsweep)
set(CPACK_PACKAGE_VENDOR "The ppsweep developers")
set(CPACK_PACKAGE_CONTACT "${PPS_DEB_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# A package of Debian itself would begin with revision 1 and replace this one.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0ppsweep1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(pps_deb_library libppsweep${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ppsweep)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "gnuplot-nox, librsvg2-bin")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "parameter sweeps of pipeline-parallel training
ppsweep evaluates every combination of the parameters of an experiment with a
model of the training of large neural networks, writes the rows to a
compressed CSV or Parquet file, and draws pictures of it. It also searches
for parallel strategies, schedules and splits of layers.")

# `ppsweep kernels --new` needs the header of kernels.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "libppsweep-dev")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${pps_deb_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
# CPack itself writes scripts that call ldconfig, of which lintian warns; the trigger is what Debian wants.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/deb/triggers)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "models of pipeline-parallel training, shared library
The library evaluates the models of ppsweep on many points and threads, runs
experiments, and reads results.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libppsweep-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${pps_deb_library} (= ${PROJECT_VERSION}-0ppsweep1)")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "models of pipeline-parallel training, development files
The header, the static library, and the files of pkg-config and CMake for
programs that use the library of ppsweep.")

# Copyright and changelog of each package. SOURCE_DATE_EPOCH sets the date.
string(TIMESTAMP pps_deb_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
function(pps_deb_documents package component)
  set(folder ${CMAKE_BINARY_DIR}/deb/${package})
  file(CONFIGURE OUTPUT ${folder}/changelog.Debian CONTENT
"ppsweep (@PROJECT_VERSION@-0ppsweep1) unstable; urgency=medium

  * See CHANGELOG.md in the sources.

 -- @PPS_DEB_MAINTAINER@  @pps_deb_date@
" @ONLY)
  install(CODE "execute_process(COMMAND gzip -9nkf ${folder}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${component})
  install(FILES ${folder}/changelog.Debian.gz ${CMAKE_SOURCE_DIR}/packaging/deb/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endfunction()
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  pps_deb_documents(ppsweep program)
  pps_deb_documents(${pps_deb_library} library)
  pps_deb_documents(libppsweep-dev development)
endif()
include(CPack)
