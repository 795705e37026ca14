extension Completion.Shell {
    /// The script: it asks `runner complete` for the possible words, and finds files itself.
    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static let bashScript = #"""
        # Completion of runner for bash 4 or newer.

        # Takes quotes and backslashes off a word, without expanding anything.
        __runner_unquoted() {
            local text=$1 quote='' result='' character
            local -i index
            for ((index = 0; index < ${#text}; index++)); do
                character=${text:index:1}
                if [[ $quote == "'" && $character != "'" ]]; then
                    result+=$character
                elif [[ $character == '\' ]]; then
                    index+=1
                    result+=${text:index:1}
                elif [[ $character == "$quote" ]]; then
                    quote=''
                elif [[ -z $quote && $character == [\"\'] ]]; then
                    quote=$character
                else
                    result+=$character
                fi
            done
            printf -v "$2" '%s' "$result"
        }

        _runner() {
            local word previous='' prefix='' line kind extension
            local -a words=() answer=()
            local -i index
            # Readline splits words at = and :, which are no separators here.
            for ((index = 1; index <= COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if [[ -n $previous && ($word == [=:]* || $previous == *[=:]) ]]; then
                    words[${#words[@]} - 1]+=$word
                else
                    words+=("$word")
                fi
                previous=$word
            done
            local raw=${words[${#words[@]} - 1]}
            # What readline leaves as it is before the word that it replaces.
            [[ $raw == *[=:]* ]] && prefix=${raw%"${raw##*[=:]}"}
            for index in "${!words[@]}"; do
                __runner_unquoted "${words[index]}" word
                words[index]=$word
            done
            local current=${words[${#words[@]} - 1]}

            COMPREPLY=()
            mapfile -t answer < <("${COMP_WORDS[0]/#\~/$HOME}" complete "${words[@]}" 2>/dev/null)
            for line in "${answer[@]:1}"; do
                word=${line%%$'\t'*}
                [[ $word == *= ]] && compopt -o nospace 2>/dev/null
                COMPREPLY+=("${word#"$prefix"}")
            done
            read -r -a kind <<<"${answer[0]-}"
            local path=${current#"$prefix"}
            path=${path/#\~/$HOME}
            case ${kind[0]-} in
            files)
                compopt -o filenames 2>/dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
                    if [[ ${#kind[@]} -gt 1 ]]; then
                        for extension in "${kind[@]:1}"; do compgen -f -X "!*.$extension" -- "$path"; done
                        compgen -d -- "$path"
                    else
                        compgen -f -- "$path"
                    fi
                )
                ;;
            folders)
                compopt -o filenames 2>/dev/null
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$path")
                ;;
            esac
        }

        complete -F _runner runner

        """#

    private static let zshScript = #"""
        #compdef runner
        # Completion of runner for zsh.

        _runner() {
            local -a answer candidates kind
            local line
            answer=("${(@f)$("${(Q)words[1]/#\~/$HOME}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
            kind=(${=answer[1]})
            for line in "${(@)answer[2,-1]}"; do
                [[ -n $line ]] || continue
                candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
            done
            if [[ ${candidates[1]-} == *=: ]]; then
                _describe -t words runner candidates -S ''
            elif (( $#candidates )); then
                _describe -t words runner candidates
            fi
            case ${kind[1]-} in
            files)
                compset -P '--[a-z-]#='
                if (( $#kind > 1 )); then
                    _files -g "*.(${(j:|:)kind[2,-1]})(-.)"
                else
                    _files
                fi
                ;;
            folders)
                compset -P '--[a-z-]#='
                _files -/
                ;;
            esac
        }

        if [ "$funcstack[1]" = _runner ]; then
            _runner "$@"
        else
            compdef _runner runner
        fi

        """#

    private static let fishScript = #"""
        # Completion of runner for fish 3 or newer.

        function __runner_complete
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l typed (string replace -r '^--[a-z-]+=' '' -- $current)
            set -l option (string match -r '^--[a-z-]+=' -- $current)
            set -l answer (env $words[1] complete $words[2..-1] "$current" 2>/dev/null)
            set -l kind (string split ' ' -- $answer[1])
            if set -q answer[2]
                printf '%s\n' $answer[2..-1]
            end
            switch "$kind[1]"
                case files
                    if set -q kind[2]
                        for extension in $kind[2..-1]
                            for file in $typed*.$extension
                                printf '%s\n' "$option$file"
                            end
                        end
                        __fish_complete_directories "$typed" '' | string replace -r '^' -- "$option"
                    else
                        __fish_complete_path "$typed" | string replace -r '^' -- "$option"
                    end
                case folders
                    __fish_complete_directories "$typed" '' | string replace -r '^' -- "$option"
            end
        end

        complete -c runner -f -a '(__runner_complete)'

        """#
}
