# cmake -Dwork=<directory> -Dwords=<words.sh> -P words_seen.cmake: words.sh refuses what it should, and
# only that.
set(tree ${work}/tree)
file(REMOVE_RECURSE ${tree})

# Runs it; what it says must hold `wanted`, and its status must be `wanted_status`.
function(expect wanted_status wanted)
  execute_process(COMMAND ${words} ${tree} ${work}/words.txt
    RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said_too)
  string(FIND "${said}${said_too}" "${wanted}" at)
  if(NOT status EQUAL wanted_status OR at EQUAL -1)
    message(SEND_ERROR "expected ${wanted_status} and '${wanted}'; got ${status} and\n${said}${said_too}")
  endif()
endfunction()

file(WRITE ${work}/words.txt
  "# a comment\nkept | relay|stretch(es)? | prefix_chain, chunk\nkept/deep | \\.turn = | .in_order\n")
file(WRITE ${tree}/kept/good.hpp "int relayed, prefix_chain;  // outstretched\n")
file(WRITE ${tree}/kept/deep/good.cpp "s.turned = 1, s.in_order = 2;\n")
file(WRITE ${tree}/other/bad.hpp "int relay;\n")
expect(0 "")
file(WRITE ${tree}/kept/bad.hpp "int a;\nint relay = 1;\n")
expect(1 "kept/bad.hpp:2:int relay = 1;    <- instead: prefix_chain, chunk")
file(WRITE ${tree}/kept/bad.hpp "// two stretches\n")
expect(1 "kept/bad.hpp:1:// two stretches")
file(WRITE ${tree}/kept/bad.hpp "")
file(WRITE ${tree}/kept/deep/bad.cu "line.run({.turn = f});\n")
expect(1 "kept/deep/bad.cu:1:")
file(WRITE ${work}/words.txt "kept !bad.cu | \\.turn = | .in_order\n")
expect(0 "")
file(REMOVE_RECURSE ${tree}/kept/deep)
file(WRITE ${work}/words.txt "kept/deep | \\.turn = | .in_order\n")
expect(2 "names kept/deep, which is not there")
file(WRITE ${work}/words.txt "# none\n")
expect(2 "has no words")
