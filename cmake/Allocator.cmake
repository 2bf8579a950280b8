# Programs take memory from jemalloc where it is there: a model is read again for each run of a sweep, in many small pieces and several threads at once, which the system's
# allocator takes a third longer for. Inside the program, so that nothing is looked for when it starts. Sanitizers bring an allocator of their own.
add_library(taut_allocator INTERFACE)
if(NOT TAUT_SANITIZE)
  find_library(TAUT_JEMALLOC libjemalloc_pic.a)
  mark_as_advanced(TAUT_JEMALLOC)
endif()
if(TAUT_JEMALLOC)
  find_package(Threads REQUIRED)
  target_link_libraries(taut_allocator INTERFACE ${TAUT_JEMALLOC} Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
