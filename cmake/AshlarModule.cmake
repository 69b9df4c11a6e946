# ashlar_module(NAME <folder under src/, "/" allowed>
#               [DEPS <modules>]       who is below; linked publicly
#               [LIBS <libraries>]     CMake targets or plain library names
#               [SOURCES <files>]      the library ashlar_<name>
#               [TEST_DEPS <modules>]  modules that only the tests need (io/sim, ...)
#               [TESTS <files>]        one GoogleTest program <name>_test
#               [SIM_TESTS|THREADS_TESTS|CRASH_TESTS|SLOW_TESTS <files>]
#                                      the same, as <name>_<label>_test carrying that ctest label
#               [FUZZERS <files>]      each file is one libFuzzer program, built where ASHLAR_FUZZ is on
#               [BENCHES <files>])     each file is one program with a main of its own, built where ASHLAR_BENCH is on
#
# ashlar_test(NAME <program> [LABELS <labels>] [DEPS <modules>] [LIBS <libraries>] SOURCES <files>)
#   a GoogleTest program that crosses modules; its cases are registered with ctest one by one.
#
# Labels: sim (simulated disk and clock), threads (run under ThreadSanitizer as well), crash (kills real processes),
# slow (more than about ten seconds).

set(ASHLAR_TEST_LABELS sim threads crash slow)
set(ASHLAR_TEST_TIMEOUT_S 1800)

# Modules that never ship: their objects stay out of libashlar.
set(ASHLAR_TEST_ONLY_MODULES io/sim)

if(ASHLAR_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # Lets one preset build only the programs that it runs: `cmake --build ... --target threads_tests`.
  foreach(label IN LISTS ASHLAR_TEST_LABELS)
    add_custom_target(${label}_tests)
  endforeach()
endif()

function(ashlar_module_targets out)
  set(targets "")
  foreach(module IN LISTS ARGN)
    string(REPLACE "/" "_" flat "${module}")
    list(APPEND targets "ashlar_${flat}")
  endforeach()
  set(${out} "${targets}" PARENT_SCOPE)
endfunction()

function(ashlar_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "LABELS;DEPS;LIBS;SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ashlar_test(${arg_NAME}): unknown words ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ASHLAR_TESTS)
    return()
  endif()
  ashlar_module_targets(deps ${arg_DEPS})
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${arg_NAME} PRIVATE ${deps} ${arg_LIBS} ashlar_warnings ashlar_no_rtti GTest::gtest_main)
  foreach(label IN LISTS arg_LABELS)
    if(NOT label IN_LIST ASHLAR_TEST_LABELS)
      message(FATAL_ERROR "ashlar_test(${arg_NAME}): label '${label}' is none of ${ASHLAR_TEST_LABELS}")
    endif()
    add_dependencies(${label}_tests ${arg_NAME})
  endforeach()
  # Lists do not survive gtest_discover_tests; several labels travel with an escaped semicolon.
  list(JOIN arg_LABELS "\\;" labels)
  gtest_discover_tests(${arg_NAME} TEST_PREFIX "${arg_NAME}:" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ASHLAR_TEST_TIMEOUT_S} LABELS "${labels}")
endfunction()

function(ashlar_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME"
    "DEPS;LIBS;SOURCES;TEST_DEPS;TESTS;SIM_TESTS;THREADS_TESTS;CRASH_TESTS;SLOW_TESTS;FUZZERS;BENCHES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ashlar_module(${arg_NAME}): unknown words ${arg_UNPARSED_ARGUMENTS}")
  endif()
  string(REPLACE "/" "_" flat "${arg_NAME}")
  set(target "ashlar_${flat}")
  ashlar_module_targets(deps ${arg_DEPS})

  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} PUBLIC ${deps} ${arg_LIBS} Threads::Threads
      PRIVATE $<BUILD_INTERFACE:ashlar_library_rules> $<BUILD_INTERFACE:ashlar_no_rtti>)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${target} INTERFACE ${deps} ${arg_LIBS} Threads::Threads)
  endif()
  if(NOT arg_NAME IN_LIST ASHLAR_TEST_ONLY_MODULES)
    set_property(GLOBAL APPEND PROPERTY ASHLAR_SHIPPED_MODULES ${target})
    set_property(GLOBAL APPEND PROPERTY ASHLAR_SHIPPED_LIBS ${arg_LIBS})
  endif()

  if(arg_TESTS)
    ashlar_test(NAME ${flat}_test DEPS ${arg_NAME} ${arg_TEST_DEPS} SOURCES ${arg_TESTS})
  endif()
  foreach(label IN LISTS ASHLAR_TEST_LABELS)
    string(TOUPPER "arg_${label}_TESTS" files)
    string(REPLACE "ARG_" "arg_" files "${files}")
    if(${files})
      ashlar_test(NAME ${flat}_${label}_test LABELS ${label} DEPS ${arg_NAME} ${arg_TEST_DEPS} SOURCES ${${files}})
    endif()
  endforeach()

  if(ASHLAR_FUZZ)
    foreach(file IN LISTS arg_FUZZERS)
      ashlar_module_program("${file}" ${arg_NAME} ${arg_TEST_DEPS})
      target_link_options(${program} PRIVATE -fsanitize=fuzzer)
      set_property(GLOBAL APPEND PROPERTY ASHLAR_FUZZ_TARGETS ${program})
    endforeach()
  endif()
  if(ASHLAR_BENCH)
    foreach(file IN LISTS arg_BENCHES)
      ashlar_module_program("${file}" ${arg_NAME} ${arg_TEST_DEPS})
    endforeach()
  endif()
endfunction()

# A program of one file of a module, called after both: run/block_fuzz.cc is run_block_fuzz. Sets ${program}.
function(ashlar_module_program file module)
  string(REPLACE "/" "_" flat "${module}")
  get_filename_component(stem "${file}" NAME_WE)
  if(NOT stem MATCHES "^${flat}_")
    set(stem "${flat}_${stem}")
  endif()
  ashlar_module_targets(deps ${module} ${ARGN})
  add_executable(${stem} ${file})
  target_link_libraries(${stem} PRIVATE ${deps} ashlar_warnings ashlar_no_rtti)
  set(program ${stem} PARENT_SCOPE)
endfunction()
