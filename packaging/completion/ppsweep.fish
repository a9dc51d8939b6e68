# Completion of ppsweep in fish. Made by: ppsweep completion fish
# The program that is named on the command line says which words are possible.
function __ppsweep_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    for line in (command $program completion --typed="$typed" -- $words 2>/dev/null)
        switch $line
            case :files :folders
                set -l start (string match -r '^.*[=,]' -- "$typed")
                set -l file (string replace -r '^.*[=,]' '' -- "$typed")
                if test $line = :files
                    printf "$start%s\n" (__fish_complete_path $file)
                else
                    printf "$start%s\n" (__fish_complete_directories $file)
                end
            case '*'
                echo $line
        end
    end
end
complete -c ppsweep -f -a '(__ppsweep_complete)'
