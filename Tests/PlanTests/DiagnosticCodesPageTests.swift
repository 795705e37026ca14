import Diagnostics
import JobFile
import RegexKit
import SystemKit
import TestSupport
import Testing

@testable import Plan

/// A code with something that is answered with it, and something like it that is right: a row of
/// the page.
///
/// `Fixtures/Codes/<code>.txt` has a line for each: the place, the meaning, the bad example, the
/// good one.
struct DocumentedCode: Sendable, CustomTestStringConvertible {
    var code: String
    var place: String
    var meaning: String
    /// nil where the page describes a large file instead.
    var bad: String?
    var good: String?

    var testDescription: String { code }

    static let known = YAMLFault.allCases.map(\.rawValue) + JobCode.allCases.map(\.rawValue)

    static let all = known.compactMap(DocumentedCode.init)

    init?(_ code: String) {
        let folder = #filePath.replacing(#/[^/]+$/#, with: "Fixtures/Codes/")
        guard let bytes = Fixture.read(folder + code + ".txt") else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 5 else { return nil }
        self.code = code
        (place, meaning) = (lines[0], lines[1])
        bad = lines[2] == "–" ? nil : lines[2]
        good = lines[3] == "–" ? nil : lines[3]
    }

    /// The row's anchor, code, meaning and place.
    var beginning: String { "| <a id=\"\(code)\"></a>`\(code)` | \(meaning) | \(place) | " }

    /// As the page has it, which describes large files by words of its own.
    func row(in line: Substring) -> String {
        guard let bad, let good else {
            return line.utf8.starts(with: beginning.utf8) ? String(line) : beginning + "– | – |"
        }
        return beginning + "`\(bad)` | `\(good)` |"
    }

    /// The job file of an example, as bytes.
    func jobFile(_ example: String) -> [UInt8]? {
        let url = #"url: "https://a.example""#
        let text: String? =
            switch place {
            case "file": example
            case "top level": "version: 1\n\(example)"
            case "session": "version: 1\nsessions: { s: { \(example) } }"
            case "data task": "version: 1\ndata: { t: { \(url), \(example) } }"
            case "upload": "version: 1\nuploads: { t: { \(url), \(example) } }"
            case "download": "version: 1\ndownloads: { t: { \(url), to: t, \(example) } }"
            case "command line":
                "version: 1\nvariables: { region: us }\ndata: { t: { \(url) } }"
            default: nil
            }
        return text.map(Self.unescaped)
    }

    /// The variables of an example of the command line.
    func variables(_ example: String) -> [String: String] {
        guard place == "command line" else { return [:] }
        let parts = example.split(separator: " ").last?.split(separator: "=") ?? []
        return parts.count == 2 ? [String(parts[0]): String(parts[1])] : [:]
    }

    /// Text with `\n`, `\t` and `\xNN` replaced by their bytes.
    private static func unescaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): bytes.append(10)
            case UInt8(ascii: "t"): bytes.append(9)
            default:
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                bytes.append(UInt8(digits, radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
        }
        return bytes
    }
}

@Suite struct DiagnosticCodesPageTests {
    @Test func `the page has every code once, with the text of its file`() throws {
        let page = "docs/reference/diagnostics.md"
        let path = #filePath.replacing(#/Tests/PlanTests/.*/#, with: page)
        let text = String(decoding: try #require(Fixture.read(path)), as: UTF8.self)
        var codes: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix("| <a id="),
                let code = line.split(separator: "`").dropFirst().first,
                let documented = DocumentedCode(String(code))
            else { return String(line) }
            codes.append(documented.code)
            return documented.row(in: line)
        }
        if Fixture.isUpdating { Fixture.write(Array(lines.joined(separator: "\n").utf8), to: path) }
        #expect(lines.joined(separator: "\n") == text)
        #expect(codes.sorted() == DocumentedCode.known.sorted())
    }

    @Test func `only codes that are about large files have no example`() {
        let large: Set = [
            "yaml.too-large", "yaml.nesting", "yaml.alias-expansion", "yaml.too-many-faults",
            "job.too-many-faults",
        ]
        #expect(Set(DocumentedCode.all.filter { $0.bad == nil }.map(\.code)) == large)
        #expect(Set(DocumentedCode.all.filter { $0.good == nil }.map(\.code)) == large)
    }

    @Test(arguments: DocumentedCode.all.filter { $0.bad != nil })
    func `a bad example causes its code`(row: DocumentedCode) throws {
        let example = try #require(row.bad)
        let bytes = try #require(row.jobFile(example), "\(row.place) is not a place")
        let found = codes(of: bytes, variables: row.variables(example), lacksSecrets: true)
        #expect(found.contains(row.code))
    }

    @Test(arguments: DocumentedCode.all.filter { $0.good != nil })
    func `a good example is valid`(row: DocumentedCode) throws {
        let example = try #require(row.good)
        let bytes = try #require(row.jobFile(example), "\(row.place) is not a place")
        let found = codes(of: bytes, variables: row.variables(example), lacksSecrets: false)
        // An example that is no more than a setting, or the beginning of a job, has no task.
        #expect(found.filter { $0 != "job.no-tasks" || row.code == $0 } == [])
    }

    private func codes(
        of bytes: [UInt8],
        variables: [String: String],
        lacksSecrets: Bool
    ) -> [String] {
        let options = PlanOptions {
            $0.variables = variables
            $0.workingFolder = "/jobs"
            $0.fileStatus = { path in
                switch AbsolutePath.lastComponent(of: path) {
                case "missing.json": .missing
                case "closed.json": .unreadable("Permission denied")
                case "rows.pipe": .pipe
                default: .readable
                }
            }
            $0.patternFault = { pattern in
                pattern == "missing"
                    ? .unavailable("missing") : RegularExpression.fault(in: pattern)
            }
            $0.dataFile = { path in
                switch AbsolutePath.lastComponent(of: path) {
                case "rows.csv": MemoryFile("id,name\n1,one\n")
                case "shared.yaml": MemoryFile("version: 1")
                default: MemoryFile("id,name\n1\n")
                }
            }
            $0.folder = { path, _ in
                .children([
                    .init("index.html", .file),
                    .init("old", path.hasSuffix("linked") ? .linkToFolder : .file),
                ])
            }
        }
        let parsed = Inclusion(bytes, name: "job.yaml", options: options)
        let faults = parsed.diagnostics.map(\.code)
        guard let document = parsed.document else { return faults }
        do throws(PlanRejected) {
            let plan = try Plan.make(from: document, options: options)
            // A run without any secret.
            let missing =
                lacksSecrets ? plan.neededSecrets.map { $0.missing("is not there") } : []
            return faults + (plan.warnings + missing).map(\.code)
        } catch {
            let all = error.diagnostics + error.dataFaults.flatMap(\.diagnostics)
            return faults + all.map(\.code)
        }
    }
}
