import TestSupport
import Testing

/// A job whose scheme `test` is served by a Python script.
struct ProgramJob {
    let folder: JobFolder

    /// What every script has: `request`, the functions to answer with, and notes about its start.
    private static let prelude = """
        import json, os, subprocess, sys, time
        def line(**members):
            os.write(1, json.dumps(members).encode() + b"\\n")
        def respond(status=200, length=None, **headers):
            fields = [{"name": n.replace("_", "-"), "value": v} for n, v in headers.items()]
            line(message="response", version=1, statusCode=status, headers=fields, expectedContentLength=length)
        def data(piece):
            os.write(1, json.dumps({"message": "data", "length": len(piece)}).encode() + b"\\n")
            while piece:
                piece = piece[os.write(1, piece):]
        def finish():
            line(message="finish")
        def redirect(url, status=302):
            line(message="redirect", version=1, statusCode=status, url=url)
        def fail(kind, detail="no luck", **more):
            line(message="fail", version=1, kind=kind, detail=detail, **more)
        def body():
            whole = b""
            while (message := json.loads(sys.stdin.buffer.readline()))["message"] == "data":
                whole += sys.stdin.buffer.read(message["length"])
            return whole
        request = json.loads(sys.stdin.buffer.readline())
        with open("starts", "a") as file:
            print(os.getpid(), request["method"], request["url"], file=file)
        starts = len(open("starts").readlines())
        exec(open("script.py").read())
        """

    /// Writes a job.
    ///
    /// - Parameters:
    ///   - script: What the program does with a `request`.
    ///   - tasks: The rest of the job file.
    ///   - session: Further keys of the session, a line each with two spaces more.
    /// - Throws: The error of writing a file.
    init(_ script: String, _ tasks: String, session: String = "") throws {
        folder = try JobFolder(
            """
            version: 1
            sessions:
              one:
                protocolClasses: [{ scheme: test, command: [python3, -S, program.py] }]
                \(session)
            \(tasks)
            """
        )
        try folder.folder.write(Self.prelude, to: "program.py")
        try folder.folder.write(script, to: "script.py")
    }

    func run(_ arguments: String...) throws -> RunOutcome {
        let outcome = try folder.runCommand(arguments).run()
        return try outcome.reported(in: folder.folder)
    }

    /// The process, method and URL of each started program.
    var starts: [[String]] {
        guard let text = try? folder.folder.text("starts") else { return [] }
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }

    /// Waits until no program runs, nor any other process of their groups.
    func awaitEnd() throws {
        let groups = Set(starts.compactMap(\.first))
        try folder.folder.wait(for: "the end of all programs", every: .milliseconds(20)) {
            let running = try Command("ps", ["-eo", "pgid=,stat="]).run().standardOutput
            return !running.split(separator: "\n").contains { line in
                let words = line.split(separator: " ")
                // Whoever collects the ends of orphans may be slow.
                return groups.contains(String(words[0])) && words.last?.first != "Z"
            }
        }
    }
}
