# cmake -Dwork=<directory> -P arrows_seen.cmake: arrows.cmake refuses what it should, and only that.
set(tree ${work}/tree)
file(REMOVE_RECURSE ${tree})
file(WRITE ${work}/rooms.txt "# the ground first\nground\nfirst beside\nroof\n")

# Runs it; an error must say `wanted`. With "" there must be none.
function(expect wanted)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -Droot=${tree} -Drooms=${work}/rooms.txt
      -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/arrows.cmake
    RESULT_VARIABLE status ERROR_VARIABLE said OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  string(FIND "${said}" "${wanted}" at)
  if(wanted STREQUAL "" AND NOT status EQUAL 0 OR at EQUAL -1)
    message(SEND_ERROR "expected '${wanted}'; status ${status}, and it says\n${said}")
  endif()
endfunction()

file(WRITE ${tree}/ground/a.hpp "#include <vector>\n#include \"ground/b.hpp\"\n")
file(WRITE ${tree}/ground/b.hpp "")
file(WRITE ${tree}/first/c.cpp "#include \"ground/a.hpp\"\n#include \"b.hpp\"\n")
file(WRITE ${tree}/first/b.hpp "")
file(WRITE ${tree}/beside/d.hpp "#include \"ground/a.hpp\"\n")
file(WRITE ${tree}/roof/e.cpp "#include \"first/b.hpp\"\n#include \"beside/d.hpp\"\n")
expect("")

file(WRITE ${tree}/ground/b.hpp "#include \"roof/e.hpp\"\n")
file(WRITE ${tree}/roof/e.hpp "")
expect("ground/b.hpp includes roof/e.hpp: ground stands below roof")

file(WRITE ${tree}/ground/b.hpp "")
file(WRITE ${tree}/first/b.hpp "  # include \"beside/d.hpp\"\n")
expect("first/b.hpp includes beside/d.hpp: first stands below beside, or beside it")

file(WRITE ${tree}/first/b.hpp "")
file(WRITE ${tree}/ground/b.hpp "#include \"c.hpp\"\n")
file(WRITE ${tree}/ground/c.hpp "#include \"ground/a.hpp\"\n")
expect("these files include each other: ground/a.hpp ground/b.hpp ground/c.hpp")

file(REMOVE_RECURSE ${tree}/roof)
expect("names roof, which is not there")
