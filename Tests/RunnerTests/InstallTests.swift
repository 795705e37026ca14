import TestSupport
import Testing

/// `Scripts/install`, which `make install` and the packages use.
@Suite struct InstallTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func install(_ argument: String, prefix: String = "/opt/own") throws {
        let environment: [String: String?] = [
            "PREFIX": prefix, "DESTDIR": folder.path, "ZSHDIR": nil,
        ]
        let script = Repository.path("Scripts/install")
        let outcome = try Command(script, [argument], environment: environment).run()
        try #require(outcome.status == .exit(0), "\(outcome.standardError)")
    }

    private func files() throws -> Set<String> {
        let found = try Command("find", [".", "-type", "f"], workingFolder: folder.path).run()
        return Set(found.standardOutput.split(separator: "\n").map { String($0.dropFirst(2)) })
    }

    @Test func `everything is installed below the prefix, and removed again`() throws {
        try folder.makeFolder("opt")
        try folder.makeFolder("opt/own")
        try folder.write("another program's", to: "opt/own/other")
        try install(Command.runner([]).executable)
        let files = try files()
        for name in [
            "bin/runner", "share/man/man1/runner.1.gz", "share/man/man5/runner-job.5.gz",
            "share/bash-completion/completions/runner", "share/zsh/site-functions/_runner",
            "share/fish/vendor_completions.d/runner.fish", "share/doc/runner/LICENSE",
            "share/runner/schemas/job.schema.json", "lib/systemd/system/runner@.service",
        ] {
            #expect(files.contains("opt/own/" + name), "\(name)")
        }
        let unit = try folder.text("opt/own/lib/systemd/system/runner@.service")
        #expect(unit.contains("\nExecStart=/opt/own/bin/runner run "))
        let version = try Command(folder.path("opt/own/bin/runner"), ["--version"]).run()
        #expect(version.status == .exit(0))

        try install("--remove")
        #expect(try self.files() == ["opt/own/other"])
    }

    @Test func `the installed jobs are valid and name the installed schema`() throws {
        try install(Command.runner([]).executable)
        let examples = "opt/own/share/doc/runner/examples"
        let jobs = try folder.list(examples).filter { $0.hasSuffix(".yaml") }
        #expect(jobs.count > 2)
        for job in jobs {
            let text = try folder.text("\(examples)/\(job)")
            #expect(text.contains("$schema=/opt/own/share/runner/schemas/job.schema.json"))
            let path = folder.path("\(examples)/\(job)")
            let outcome = try Command.runner(["validate", "--no-environment", path]).run()
            #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        }
    }
}
