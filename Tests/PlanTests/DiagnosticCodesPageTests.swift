import Diagnostics
import JobFile
import RegexKit
import TestSupport
import Testing

@testable import Plan

/// One row of the page on diagnostic codes: a code and something that is answered with it.
struct DocumentedCode: Sendable, CustomTestStringConvertible {
    var code: String
    var place: String
    /// nil where the page has none, because it would take too much room.
    var example: String?

    var testDescription: String { code }

    /// The rows `code | meaning | where | example` of the page.
    static let all: [DocumentedCode] = {
        let page = "Sources/runner/runner.docc/DiagnosticCodes.md"
        let path = #filePath.replacing(#/Tests/PlanTests/.*/#, with: page)
        let text = String(decoding: Fixture.read(path) ?? [], as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            guard cells.count == 4, let code = unquoted(cells[0]) else { return nil }
            return DocumentedCode(code: code, place: cells[2], example: unquoted(cells[3]))
        }
    }()

    /// The job file that the example stands for, as bytes.
    var jobFile: [UInt8]? {
        guard let example else { return nil }
        let url = #"url: "https://a.example""#
        let text: String? =
            switch place {
            case "file": example
            case "top level": "version: 1\n\(example)"
            case "session": "version: 1\nsessions: { s: { \(example) } }"
            case "data task": "version: 1\ndata: { t: { \(url), \(example) } }"
            case "upload": "version: 1\nuploads: { t: { \(url), \(example) } }"
            case "download": "version: 1\ndownloads: { t: { \(url), to: t, \(example) } }"
            case "command line": "version: 1\ndata: { t: { \(url) } }"
            default: nil
            }
        return text.map(Self.unescaped)
    }

    /// The variables of the command line's example.
    var variables: [String: String] {
        guard place == "command line", let example else { return [:] }
        let parts = example.split(separator: " ").last?.split(separator: "=") ?? []
        return parts.count == 2 ? [String(parts[0]): String(parts[1])] : [:]
    }

    /// What stands between backticks.
    private static func unquoted(_ cell: String) -> String? {
        guard cell.count > 2, cell.hasPrefix("`"), cell.hasSuffix("`") else { return nil }
        return String(cell.dropFirst().dropLast())
    }

    /// Text with `\n`, `\t` and `\xNN` as what they stand for.
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
    @Test func `the page has every code once and no other`() {
        let known = YAMLFault.allCases.map(\.rawValue) + JobCode.allCases.map(\.rawValue)
        #expect(DocumentedCode.all.map(\.code).sorted() == known.sorted())
    }

    @Test func `only codes that are about large files have no example`() {
        let large: Set = [
            "yaml.too-large", "yaml.nesting", "yaml.alias-expansion", "yaml.too-many-faults",
            "job.too-many-faults",
        ]
        #expect(Set(DocumentedCode.all.filter { $0.example == nil }.map(\.code)) == large)
    }

    @Test(arguments: DocumentedCode.all.filter { $0.example != nil })
    func `an example of the page is answered with its code`(row: DocumentedCode) throws {
        let bytes = try #require(row.jobFile, "\(row.place) is not a place")
        #expect(codes(of: bytes, variables: row.variables).contains(row.code))
    }

    private func codes(of bytes: [UInt8], variables: [String: String]) -> [String] {
        let parsed = Document.parse(bytes, name: "job.yaml")
        let faults = parsed.diagnostics.map(\.code)
        guard let document = parsed.document else { return faults }
        let options = PlanOptions(
            variables: variables,
            workingFolder: "/jobs",
            fileStatus: { path in
                switch AbsolutePath.lastComponent(of: path) {
                case "missing.json": .missing
                case "rows.pipe": .pipe
                default: .readable
                }
            },
            patternFault: { pattern in
                pattern == "missing"
                    ? .unavailable("missing") : RegularExpression.fault(in: pattern)
            },
            dataFile: { _ in MemoryFile("id,name\n1\n") }
        )
        do throws(PlanRejected) {
            let plan = try Plan.make(from: document, options: options)
            // A run without any secret.
            let missing = plan.neededSecrets.map { $0.missing("is not there") }
            return faults + (plan.warnings + missing).map(\.code)
        } catch {
            let all = error.diagnostics + error.dataFaults.flatMap(\.diagnostics)
            return faults + all.map(\.code)
        }
    }
}
