# SPDX-License-Identifier: Apache-2.0
# Completions of tidegauge for fish. tools/check_docs.py compares the options with --help.

function __tidegauge_is
    set -l words (commandline -opc)
    test (count $words) -ge 2; and contains -- $words[2] $argv
end

complete -c tidegauge -f
complete -c tidegauge -n __fish_use_subcommand -a run -d 'start a job under the gauge'
complete -c tidegauge -n __fish_use_subcommand -a watch -d 'follow a job that already runs'
complete -c tidegauge -n __fish_use_subcommand -a judge -d 'verdicts for a recording or a CSV file'
complete -c tidegauge -n __fish_use_subcommand -a report -d 'a report of a recording'
complete -c tidegauge -n __fish_use_subcommand -a census -d 'what a Python process holds, and who holds it'
complete -c tidegauge -n __fish_use_subcommand -a doctor -d 'what can be measured here'
complete -c tidegauge -n __fish_use_subcommand -a mark -d 'tell the gauge about a step, an epoch or a phase'
complete -c tidegauge -n __fish_use_subcommand -a ask -d 'ask a job under the gauge for a checkpoint'
complete -c tidegauge -n __fish_use_subcommand -l version -d 'which version'
complete -c tidegauge -l help -s h -d 'what it does'

complete -c tidegauge -n '__tidegauge_is run watch' -l interval -x -a '1s 500ms 100ms' -d 'time between two looks'
complete -c tidegauge -n '__tidegauge_is run watch' -l for -x -a '1m 10m 1h' -d 'stop watching after this time'
complete -c tidegauge -n '__tidegauge_is run watch' -l until-decided -d 'stop watching when the verdict is known'
complete -c tidegauge -n '__tidegauge_is run watch' -l record -rF -d 'where to keep the recording'
complete -c tidegauge -n '__tidegauge_is run watch' -l no-record -d 'keep no recording'
complete -c tidegauge -n '__tidegauge_is run watch' -l no-census -d 'do not look into a Python process that grows'
complete -c tidegauge -n '__tidegauge_is run watch' -l quiet -s q -d 'say nothing at the end but errors'
complete -c tidegauge -n '__tidegauge_is run watch judge report' -l limit -x -a '16GB 32GB 64GB' -d 'memory that may be used'
complete -c tidegauge -n '__tidegauge_is run watch judge report' -l leak-prior -x -d 'how likely a leak is before anything was measured'
complete -c tidegauge -n '__tidegauge_is run watch judge report' -l longest-warm-up -x -a 40m -d 'how long growth may go on and still end'
complete -c tidegauge -n '__tidegauge_is run watch judge report' -l leak-from -x -d 'probability from which a finished recording is called a leak'
complete -c tidegauge -n '__tidegauge_is run watch judge report' -l alarm-from -x -d 'the same while watching'
complete -c tidegauge -n '__tidegauge_is run watch judge report' -l steps-per-epoch -x -d 'optimizer steps in one pass over the data'

complete -c tidegauge -n '__tidegauge_is run' -l json -rF -d 'write the verdict document there'
complete -c tidegauge -n '__tidegauge_is run' -l no-marks -d 'give the job no channel for its steps and phases'
complete -c tidegauge -n '__tidegauge_is run' -l live -d 'show the live view'
complete -c tidegauge -n '__tidegauge_is run' -l no-hooks -d 'put nothing into the job to find its steps'
complete -c tidegauge -n '__tidegauge_is run' -l no-preload -d 'find the steps of Python processes without LD_PRELOAD'
complete -c tidegauge -n '__tidegauge_is run' -l no-history -d 'neither use nor keep how earlier runs ended'
complete -c tidegauge -n '__tidegauge_is run' -l no-guess -d 'do not look for steps in the output of the job'
complete -c tidegauge -n '__tidegauge_is run' -x -a '(__fish_complete_subcommand --fcs-skip=2)'

complete -c tidegauge -n '__tidegauge_is watch' -l attach-marks -d 'put hooks into Python 3.14 or later that tell of its steps'
complete -c tidegauge -n '__tidegauge_is watch' -l json -d 'a JSON line per sample'
complete -c tidegauge -n '__tidegauge_is watch' -l no-live -d 'a status line instead of the live view'
complete -c tidegauge -n '__tidegauge_is watch' -l ascii -d 'draw the live view without Unicode'
complete -c tidegauge -n '__tidegauge_is watch' -l name -x -d 'follow what matches by name or command line'
complete -c tidegauge -n '__tidegauge_is watch' -l cgroup -x -a '(__fish_complete_directories)' -d 'follow all processes of this cgroup'
complete -c tidegauge -n '__tidegauge_is watch census doctor ask' -a '(__fish_complete_pids)'

complete -c tidegauge -n '__tidegauge_is judge' -l json -d 'print the verdict document'
complete -c tidegauge -n '__tidegauge_is judge' -l explain -d 'show what the verdict was made from'
complete -c tidegauge -n '__tidegauge_is judge' -l markers -rF -d 'steps, epochs and phases of a CSV file'
complete -c tidegauge -n '__tidegauge_is judge' -l unit -x -a 'B KB MB GB KiB MiB GiB' -d 'unit of columns that do not name theirs'
complete -c tidegauge -n '__tidegauge_is judge report' -F

complete -c tidegauge -n '__tidegauge_is report' -l output -s o -rF -d 'write it there'
complete -c tidegauge -n '__tidegauge_is report' -l markdown -d 'Markdown, for an issue'
complete -c tidegauge -n '__tidegauge_is report' -l text -d 'plain text, without a browser'
complete -c tidegauge -n '__tidegauge_is census' -l json -d 'print the census document'
complete -c tidegauge -n '__tidegauge_is census' -l stream -d 'count without stopping anything'
complete -c tidegauge -n '__tidegauge_is census' -l tensors -d 'all tensors, arrays and images by shape'
complete -c tidegauge -n '__tidegauge_is census' -l lines -x -d 'of each table'
complete -c tidegauge -n '__tidegauge_is census' -s o -l output -r -d 'keep the document there, too'
complete -c tidegauge -n '__tidegauge_is census' -l diff -r -d 'what has grown since that one'
complete -c tidegauge -n '__tidegauge_is census' -l follow -x -d 'count again and again, without a stop'
complete -c tidegauge -n '__tidegauge_is doctor' -l json -d 'as a JSON document'
complete -c tidegauge -n '__tidegauge_is ask' -l stop -d 'let the job end once it has saved'
complete -c tidegauge -n '__tidegauge_is ask' -l timeout -x -a '1m 10m' -d 'how long to wait for the answer'
complete -c tidegauge -n '__tidegauge_is ask' -l json -d 'as a JSON document'
complete -c tidegauge -n '__tidegauge_is mark' -l strict -d 'fail where there is no gauge'
complete -c tidegauge -n '__tidegauge_is mark' -x -a 'step= epoch= begin= end= note='
