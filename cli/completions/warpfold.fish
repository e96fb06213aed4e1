# Completion of warpfold for fish. What there is to complete, warpfold itself says.
complete -c warpfold -a '(warpfold --complete (commandline -opc)[2..-1] 2>/dev/null)'
