# How every translation unit of the project is compiled: language level, warnings, sanitizers, compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(ASHLAR_CCACHE ccache)
  if(ASHLAR_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER "${ASHLAR_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ASHLAR_CCACHE}")
  endif()
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# Warnings of all our code; link privately.
add_library(ashlar_warnings INTERFACE)
target_compile_options(ashlar_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wunused
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  # GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
  # Under a sanitizer the flow analysis of GCC 12 loses track; the plain builds report these.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${ASHLAR_SANITIZE}>>:-Wno-maybe-uninitialized>
  $<$<BOOL:${ASHLAR_WERROR}>:-Werror>)

# What holds in src/ on top of that. Narrowing is spelled out there; sign changes alone are not reported, because
# sizes, offsets and pointer differences mix signs in every second line without harm.
add_library(ashlar_library_rules INTERFACE)
target_compile_options(ashlar_library_rules INTERFACE
  -Wconversion -Wno-sign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
target_link_libraries(ashlar_library_rules INTERFACE ashlar_warnings)

# Type information is off in the library and in its tests alike, so that a test may derive from an interface whose
# key function was compiled in src/.
add_library(ashlar_no_rtti INTERFACE)
target_compile_options(ashlar_no_rtti INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)

if(ASHLAR_SANITIZE STREQUAL "address")
  set(sanitize -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(ASHLAR_SANITIZE STREQUAL "thread")
  set(sanitize -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT ASHLAR_SANITIZE STREQUAL "")
  message(FATAL_ERROR "ASHLAR_SANITIZE is '${ASHLAR_SANITIZE}'; expected address, thread or nothing")
endif()
if(ASHLAR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ASHLAR_FUZZ needs clang (libFuzzer); this is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  list(APPEND sanitize -fsanitize=fuzzer-no-link)
endif()
add_compile_options(${sanitize})
add_link_options(${sanitize})
