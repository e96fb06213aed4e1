# What is installed: the library (component `warpfold`), the CPU machine (component `simt`), and the
# package files with which find_package(warpfold [COMPONENTS …]) finds each. The command line is the
# component `tools`: cli/CMakeLists.txt.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/warpfold)

install(TARGETS warpfold EXPORT warpfoldTargets)
install(EXPORT warpfoldTargets NAMESPACE warpfold:: DESTINATION ${package_directory}
  COMPONENT warpfold)
install(DIRECTORY include/warpfold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT warpfold)

configure_package_config_file(cmake/warpfoldConfig.cmake.in
  ${PROJECT_BINARY_DIR}/warpfoldConfig.cmake INSTALL_DESTINATION ${package_directory}
  PATH_VARS CMAKE_INSTALL_LIBEXECDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpfoldConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpfoldConfig.cmake
  ${PROJECT_BINARY_DIR}/warpfoldConfigVersion.cmake cmake/host.cmake cmake/mpi.cmake
  DESTINATION ${package_directory} COMPONENT warpfold)
install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT warpfold)

if(TARGET warpfold_simt)
  install(TARGETS warpfold_simt EXPORT warpfoldSimtTargets
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT simt)
  install(TARGETS warpfold_source_step DESTINATION ${CMAKE_INSTALL_LIBEXECDIR} COMPONENT simt)
  foreach(plugin simt_observe simt_plain)
    if(TARGET ${plugin})
      install(TARGETS ${plugin} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR} COMPONENT simt)
    endif()
  endforeach()
  install(TARGETS simt++ DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT simt)
  install(EXPORT warpfoldSimtTargets NAMESPACE warpfold:: DESTINATION ${package_directory}
    COMPONENT simt)
  install(DIRECTORY simt/include/simt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT simt)
  install(FILES simt/gdb/warpfold-gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/warpfold
    COMPONENT simt)
  install(FILES cmake/kernels.cmake DESTINATION ${package_directory} COMPONENT simt)
  set(toolkit ${CMAKE_INSTALL_LIBDIR}/warpfold/cuda)
  file(RELATIVE_PATH prefix /${toolkit}/bin /)
  simt_toolkit(${PROJECT_BINARY_DIR}/toolkit ${prefix}${CMAKE_INSTALL_BINDIR}/simt++
    ${prefix}${CMAKE_INSTALL_INCLUDEDIR} ${prefix}${CMAKE_INSTALL_LIBDIR}/libwarpfold_simt.a)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/toolkit/ DESTINATION ${toolkit} COMPONENT simt)
endif()
