import TestSupport
import Testing

/// What the shells themselves make of the completion scripts.
@Suite struct CompletionTests {
    private let job: JobFolder

    init() throws {
        job = try JobFolder(
            """
            version: 1
            variables: { shop: "http://h", day: monday }
            uploads: { order-1: { url: "http://h/", json: {} }, x-notes: 1 }
            downloads: { order-book: { url: "http://h/", to: out } }
            streams: { talk: { url: "tcp://h:1", steps: [] } }
            """
        )
        try job.folder.write("{}", to: "report.json")
        try job.folder.write("", to: "notes.txt")
        try job.folder.makeFolder("jobs")
        // With PATH, the words of a command line are those that a user types.
        try job.folder.makeFolder("bin")
        let path = try Command.runner([]).executable
        _ = try Command("ln", ["-s", path, job.folder.path("bin/runner")]).run()
        for shell in ["bash", "zsh", "fish"] {
            let script = try job.runner(["completion", shell])
            #expect(script.status == .exit(0))
            try job.folder.write(script.standardOutput, to: "completion.\(shell)")
        }
    }

    private func run(_ shell: String, _ arguments: [String]) throws -> [String] {
        var command = try job.command([])
        command.executable = shell
        command.arguments = arguments
        command.environment["PATH"] = job.folder.path("bin") + ":/usr/sbin:/usr/bin:/bin"
        command.environment["XDG_CONFIG_HOME"] = job.folder.path
        let outcome = try withExtendedLifetime(job) { try command.run() }
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        return outcome.standardOutput.split(separator: "\n").map(String.init)
    }

    /// What bash would offer for the end of a line.
    private func bash(_ line: String) throws -> Set<String> {
        // Words as readline makes them, with the default of COMP_WORDBREAKS.
        let script = #"""
            source completion.bash
            line=$1
            COMP_WORDS=() word='' COMP_CWORD=0
            for ((i = 0; i < ${#line}; i++)); do
                c=${line:i:1}
                case $c in
                ' ') [[ -n $word ]] && COMP_WORDS+=("$word"); word='' ;;
                [=:]) [[ -n $word ]] && COMP_WORDS+=("$word"); COMP_WORDS+=("$c"); word='' ;;
                *) word+=$c ;;
                esac
            done
            [[ -n $word || $line == *' ' ]] && COMP_WORDS+=("$word")
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _runner
            printf '%s\n' "${COMPREPLY[@]}"
            """#
        return try Set(run("bash", ["--norc", "-c", script, "bash", line]))
    }

    /// What fish offers for a line, without the summaries.
    private func fish(_ line: String) throws -> Set<String> {
        let script = "source completion.fish; complete -C \(quoted(line))"
        return try Set(
            run("fish", ["--no-config", "-c", script]).map { $0.prefix { $0 != "\t" }.description }
        )
    }

    /// What zsh's line editor makes of a line when the user presses the tabulator once.
    private func zsh(_ line: String) throws -> String {
        let script = #"""
            zmodload zsh/zpty
            zpty shell 'PS1= TERM=dumb zsh -f'
            send() { zpty -w shell "$1" }
            wait_for() {
                local all= piece
                while [[ $all != *$1* ]]; do
                    zpty -r shell piece || return 1
                    all+=$piece
                done
            }
            send 'autoload -Uz compinit && compinit -u -D; source ./completion.zsh'
            send 'setopt no_list_beep no_auto_menu; unset zle_bracketed_paste'
            send 'show() { print -r -- "LINE<$BUFFER>"; BUFFER=; zle accept-line }'
            send 'zle -N show; bindkey "^X" show; print READY${:-_NOW}'
            wait_for READY_NOW
            zpty -w -n shell "$1"$'\t'$'\x18'
            all=
            while [[ $all != *'LINE<'*'>'* ]]; do zpty -r shell piece || break; all+=$piece; done
            print -r -- "${${all##*LINE<}%%>*}"
            """#
        return try run("zsh", ["-f", "-c", script, "zsh", line]).joined(separator: "\n")
    }

    private func quoted(_ text: String) -> String { "'\(text)'" }

    @Test func `commands and options are completed in bash and fish`() throws {
        for complete in [bash, fish] {
            #expect(try complete("runner st") == ["status"])
            #expect(try complete("runner c") == ["cancel", "cache", "completion"])
            #expect(try complete("runner report h") == ["har", "html"])
            #expect(try complete("runner help va") == ["validate"])
            #expect(try complete("runner run --f") == ["--fail-fast"])
            #expect(try complete("runner validate --format s") == ["sarif"])
            #expect(try complete("runner run --fail-fast --fa").isEmpty)
            #expect(try complete("runner fin").isEmpty)
        }
        #expect(try bash("runner validate --format=j") == ["json"])
        #expect(try fish("runner validate --format=j") == ["--format=json"])
    }

    @Test func `only files that a command reads are completed in bash and fish`() throws {
        #expect(try bash("runner run jo") == ["job.yaml", "jobs"])
        #expect(try fish("runner run jo") == ["job.yaml", "jobs/"])
        #expect(try bash("runner report show re") == ["report.json"])
        #expect(try fish("runner report show re") == ["report.json"])
        #expect(try bash("runner run job.yaml --report no") == ["notes.txt"])
        #expect(try fish("runner run job.yaml --report no") == ["notes.txt"])
        #expect(try bash("runner run job.yaml --state-dir jo") == ["jobs"])
        #expect(try fish("runner run job.yaml --state-dir jo") == ["jobs/"])
    }

    @Test func `names in the job file are completed in bash and fish`() throws {
        for complete in [bash, fish] {
            #expect(
                try complete("runner run job.yaml --only ") == ["order-1", "order-book", "talk"]
            )
            #expect(
                try complete("runner run job.yaml --only order-1 o") == ["order-book"]
            )
            #expect(
                try complete("runner plan --only job.yaml t") == ["talk"]
            )
            #expect(try complete("runner run job.yaml --var d") == ["day="])
            #expect(try complete("runner run missing.yaml --only ").isEmpty)
        }
        #expect(try bash("runner run 'job.yaml' --only t") == ["talk"])
    }

    @Test func `names that a shell or a terminal obeys are not offered`() throws {
        let names = [
            "x$(touch PWNED)é", "x$(touch PWNED)", "x`id`", "x y", "d\\e[2Je", "xé", "plain",
        ]
        let tasks = names.map { "\"\($0)\": 1" }.joined(separator: ", ")
        try job.folder.write(
            "version: 1\nvariables: { \(tasks) }\ndata: { \(tasks) }\n",
            to: "hostile.yaml"
        )
        let state = ".local/state/runner/background"
        _ = try Command("mkdir", ["-p", job.folder.path(state)]).run()
        try job.folder.write("", to: state + "/x$(touch PWNED).journal")
        for complete in [bash, fish] {
            #expect(try complete("runner run hostile.yaml --only ") == ["plain"])
            #expect(try complete("runner run hostile.yaml --var ") == ["plain="])
            #expect(try complete("runner status ").isEmpty)
        }
        #expect(try bash("runner run hostile.yaml --only \"x").isEmpty)
        #expect(!job.folder.contains("PWNED"))
    }

    @Test func `identifiers of background sessions are completed in bash and fish`() throws {
        let folder = ".local/state/runner/background"
        for name in ["", "elsewhere/"] {
            _ = try Command("mkdir", ["-p", job.folder.path(name + folder)]).run()
        }
        try job.folder.write("", to: folder + "/nightly.journal")
        _ = try Command("mkdir", ["-p", job.folder.path("other/background")]).run()
        try job.folder.write("", to: "other/background/weekly.journal")
        for complete in [bash, fish] {
            #expect(try complete("runner status ") == ["nightly"])
            #expect(try complete("runner cancel n") == ["nightly"])
            #expect(try complete("runner cancel --state-dir other ") == ["weekly"])
        }
    }

    @Test(arguments: [
        ("runner doc", "runner doctor "),
        ("runner run job.yaml --only ta", "runner run job.yaml --only talk "),
        ("runner run job.y", "runner run job.yaml "),
        ("runner validate --format=sa", "runner validate --format=sarif "),
        ("runner run job.yaml --var sh", "runner run job.yaml --var shop="),
        ("runner run job.yaml --report no", "runner run job.yaml --report notes.txt "),
    ])
    func `zsh completes the line`(typed: String, completed: String) throws {
        #expect(try zsh(typed) == completed)
    }
}
