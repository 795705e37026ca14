import Diagnostics
import JobFile
import Testing
import TransferModel

@testable import Plan

@Suite struct CaptureCheckTests {
    /// The check's faults for one section of tasks, by their messages.
    private func faults(
        _ text: String,
        _ needs: [[Int]],
        fill check: (inout CaptureCheck) -> Void
    ) throws -> [String] {
        let document = try #require(Document.parse(Array(text.utf8), name: "t.yaml").document)
        let entries = document.entries(of: document.root).map {
            TaskList.Entry(key: $0.key, value: $0.value, kind: .data)
        }
        let graph = TaskGraph(needs: needs)
        var captures = CaptureCheck()
        check(&captures)
        return captures.faults(in: graph, of: TaskList(entries, in: document), document)
            .map { "\($0.message): \($0.help ?? "")" }
    }

    private static let tasks = "a: {}\nb: { needs: [a] }\nc: { needs: [b] }\nd: {}\n"
    private static let needs = [[], [0], [1], []]
    private static let place = SourceRange(SourcePosition(line: 1, column: 1))

    private static func reference(to task: Int) -> CaptureReference {
        CaptureReference(source: task, range: place)
    }

    @Test func `a task may use captured values of direct and indirect needs`() throws {
        let faults = try faults(Self.tasks, Self.needs) {
            $0.note([Self.reference(to: 0)], of: 1, needs: [Requirement(need: Need(entry: 0))])
            $0.note([Self.reference(to: 0)], of: 2, needs: [Requirement(need: Need(entry: 1))])
        }
        #expect(faults.isEmpty)
    }

    @Test func `a use without a need is an error with its remedy`() throws {
        let faults = try faults(Self.tasks, Self.needs) {
            $0.note([Self.reference(to: 3)], of: 2, needs: [Requirement(need: Need(entry: 1))])
            $0.note([Self.reference(to: 0)], of: 3, needs: [])
            $0.note([Self.reference(to: 3)], of: 3, needs: [])
        }
        #expect(
            faults == [
                "`c` uses a capture of `d` but does not list it in `needs`: add `d` to `needs`",
                "`d` uses a capture of `a` but does not list it in `needs`: add `needs: [a]`",
                "`d` cannot use its own captures: ",
            ]
        )
    }

    @Test func `an entry with faulty needs may need anything`() throws {
        let faults = try faults(Self.tasks, Self.needs) {
            $0.noteUnknownNeeds(of: 3)
            $0.note([Self.reference(to: 0)], of: 3, needs: [])
        }
        #expect(faults.isEmpty)
    }
}
