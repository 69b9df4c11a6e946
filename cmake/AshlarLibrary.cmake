# The shipped library: one archive and one shared object made of every module but the simulated ones, the package
# files that let others find it, and the install rules.

if(NOT TARGET ashlar_api)
  message(STATUS "ashlar: no api module yet, so no shipped library")
  return()
endif()

include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY ASHLAR_SHIPPED_MODULES)
get_property(libs GLOBAL PROPERTY ASHLAR_SHIPPED_LIBS)
list(REMOVE_DUPLICATES libs)

set(objects "")
foreach(module IN LISTS modules)
  get_target_property(type ${module} TYPE)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endif()
endforeach()

set(version_script "${PROJECT_SOURCE_DIR}/cmake/ashlar.map")
add_library(ashlar_shared SHARED ${objects})
add_library(ashlar_static STATIC ${objects})
add_library(ashlar::ashlar ALIAS ashlar_shared)
add_library(ashlar::static ALIAS ashlar_static)

set_target_properties(ashlar_shared PROPERTIES EXPORT_NAME ashlar
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS "${version_script}")
set_target_properties(ashlar_static PROPERTIES EXPORT_NAME static)
set_target_properties(ashlar_shared ashlar_static PROPERTIES OUTPUT_NAME ashlar LINKER_LANGUAGE CXX
  ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}" LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_options(ashlar_shared PRIVATE "LINKER:--version-script=${version_script}" LINKER:--as-needed)
target_link_libraries(ashlar_shared PRIVATE ${libs} Threads::Threads)
target_link_libraries(ashlar_static INTERFACE ${libs} Threads::Threads)
foreach(target IN ITEMS ashlar_shared ashlar_static)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

install(TARGETS ashlar_shared ashlar_static EXPORT ashlar COMPONENT library)
install(DIRECTORY include/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ashlar")
install(EXPORT ashlar NAMESPACE ashlar:: FILE ashlar-targets.cmake DESTINATION ${package_dir} COMPONENT library)
configure_package_config_file(cmake/ashlar-config.cmake.in "${PROJECT_BINARY_DIR}/ashlar-config.cmake"
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ashlar-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ashlar-config.cmake" "${PROJECT_BINARY_DIR}/ashlar-config-version.cmake"
  DESTINATION ${package_dir} COMPONENT library)

list(TRANSFORM libs PREPEND "-l" OUTPUT_VARIABLE pc_libs)
list(JOIN pc_libs " " pc_libs)
# Relative, so that the installed tree may be moved or staged.
file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file(cmake/ashlar.pc.in "${PROJECT_BINARY_DIR}/ashlar.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ashlar.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
