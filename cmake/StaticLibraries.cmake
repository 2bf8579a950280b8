# For wheels: SuiteSparse, LAPACK and BLAS become part of the module, where there are static libraries of them (Debian has). METIS, which CHOLMOD could ask for
# other orderings than ours, stays away: see python/src/shared.cpp. Sets TAUT_STATIC_FOUND.
set(TAUT_STATIC_FOUND TRUE)
foreach(name cholmod klu btf amd colamd ccolamd camd suitesparseconfig lapack_pic blas)
  find_library(TAUT_STATIC_${name} lib${name}.a)
  mark_as_advanced(TAUT_STATIC_${name})
  if(NOT TAUT_STATIC_${name})
    set(TAUT_STATIC_FOUND FALSE)
  endif()
endforeach()
if(NOT TAUT_STATIC_FOUND)
  message(STATUS "Static libraries of SuiteSparse, LAPACK and BLAS are not all there: the shared ones are taken")
  return()
endif()
set(CHOLMOD_LIBRARY ${TAUT_STATIC_cholmod} CACHE FILEPATH "" FORCE)
set(KLU_LIBRARY ${TAUT_STATIC_klu} CACHE FILEPATH "" FORCE)
add_library(LAPACK::LAPACK INTERFACE IMPORTED)
target_link_libraries(LAPACK::LAPACK INTERFACE ${TAUT_STATIC_btf} ${TAUT_STATIC_camd} ${TAUT_STATIC_ccolamd} ${TAUT_STATIC_colamd}
  ${TAUT_STATIC_amd} ${TAUT_STATIC_suitesparseconfig} ${TAUT_STATIC_lapack_pic} ${TAUT_STATIC_blas})
