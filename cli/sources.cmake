# the embedded model is the text of models/humanoid.xml as a C array
set(CF_EMBEDDED ${PROJECT_BINARY_DIR}/generated/embedded.c)
add_custom_command(OUTPUT ${CF_EMBEDDED}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed.py ${PROJECT_SOURCE_DIR}/models/humanoid.xml
          cli_humanoid ${CF_EMBEDDED}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/embed.py ${PROJECT_SOURCE_DIR}/models/humanoid.xml)

# the viewer without its window, which the tests use, too
set(CF_VIEW_SOURCES cli/view/viewactions.c cli/view/viewdraw.c cli/view/viewfigures.c cli/view/viewinput.c
  cli/view/viewmodel.c cli/view/viewmouse.c cli/view/viewpanels.c cli/view/viewrows.c cli/view/viewsections.c
  cli/view/viewsim.c cli/view/viewtext.c cli/view/viewwatch.c)

# what the command line and the Python package need of the operating system; the library keeps its own to itself
add_library(cf_platform OBJECT src/base/platform.c src/base/sort.c ${CF_PLATFORM})
target_include_directories(cf_platform PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_options(cf_platform PRIVATE -fvisibility=hidden)
set(CF_SYSTEM cli/system_posix.c)
set(cf_apart cli/system_apart.c)
if(WIN32)
  set(CF_SYSTEM cli/system_windows.c)
  set(cf_apart cli/system_together.c)
endif()

add_executable(cf_cli
  cli/main.c
  cli/adopt.c
  cli/args.c
  cli/batch.c
  cli/bench.c
  cli/canvas.c
  cli/collect.c
  cli/compare.c
  cli/compile.c
  cli/completion.c
  cli/control.c
  cli/diagnose.c
  cli/doctor.c
  cli/framing.c
  cli/info.c
  cli/json.c
  cli/load.c
  cli/offscreen.c
  cli/parts.c
  cli/package.c
  cli/plot.c
  cli/png.c
  cli/python.c
  cli/race.c
  cli/randomize.c
  cli/reference.c
  cli/render.c
  cli/report.c
  cli/run.c
  cli/scene.c
  cli/schema.c
  cli/signal.c
  cli/soft.c
  cli/stream.c
  cli/studio.c
  cli/twins.c
  cli/verdict.c
  cli/wave.c
  cli/video.c
  cli/webpage.c
  cli/worlds.c
  cli/yardstick.c
  ${CF_SYSTEM}
  ${cf_apart}
  cli/view/glfwwindow.c
  cli/view/view.c
  ${CF_VIEW_SOURCES}
  ${CF_EMBEDDED}
  $<TARGET_OBJECTS:cf_platform>)
target_include_directories(cf_cli BEFORE PRIVATE ${CF_HEADERS} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/cli)
target_include_directories(cf_cli PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(cf_cli PRIVATE cortenforge ${CF_SPNG} ${CF_MATH} ${CMAKE_DL_LIBS})
target_compile_definitions(cf_cli PRIVATE CF_VERSION="${PROJECT_VERSION}")
set_target_properties(cf_cli PROPERTIES OUTPUT_NAME cortenforge RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# pages of the manual and completion, where the program can be run
if(NOT CMAKE_CROSSCOMPILING AND NOT CF_SANITIZE)
  set(CF_MANUALS ${PROJECT_BINARY_DIR}/generated/manuals)
  file(MAKE_DIRECTORY ${CF_MANUALS})
  add_custom_command(OUTPUT ${CF_MANUALS}/cortenforge.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:cf_cli> -DFOLDER=${CF_MANUALS} -P ${PROJECT_SOURCE_DIR}/cmake/manuals.cmake
    DEPENDS cf_cli ${PROJECT_SOURCE_DIR}/cmake/manuals.cmake)
  add_custom_target(cf_manuals ALL DEPENDS ${CF_MANUALS}/cortenforge.1)
  install(DIRECTORY ${CF_MANUALS}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES ${CF_MANUALS}/cortenforge DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${CF_MANUALS}/_cortenforge DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${CF_MANUALS}/cortenforge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
