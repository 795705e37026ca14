import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// What a run would do about a task, decided from facts alone.
@Suite struct TaskForecastTests {
    private static let checksum = Checksum(.sha256, digest: Array(repeating: 7, count: 32))
    private static let folder = PathOccupant.other(
        SystemError(errno: 21, operation: "write", subject: "/a")
    )

    private func task(
        _ ifExists: TaskSpec.IfExists = .replace,
        checksum: TaskSpec.ExpectedChecksum? = nil,
        _ change: (inout FakeSource.Task) -> Void = { _ in }
    ) throws -> TaskSpec {
        let task = FakeSource.Task("a", "http://a.test/a").with {
            $0.kind = .download
            $0.destination = .init(
                path: "/a",
                displayPath: "a",
                ifExists: ifExists,
                checksum: checksum
            )
            change(&$0)
        }
        return try FakeSource(tasks: [task]).task(at: 0, captured: .init())
    }

    private func forecast(
        _ ifExists: TaskSpec.IfExists,
        _ occupant: PathOccupant,
        checksum: TaskSpec.ExpectedChecksum? = nil,
        hasChecksum: Bool? = nil
    ) throws -> TaskForecast {
        TaskForecast(
            of: try task(ifExists, checksum: checksum),
            TaskFacts(occupant: occupant, hasChecksum: hasChecksum)
        )
    }

    @Test func `a file that is not there is fetched`() throws {
        for rule in [TaskSpec.IfExists.replace, .skip, .fail, .revalidate] {
            #expect(try forecast(rule, .nothing) == .fetch(.new))
        }
    }

    @Test func `an existing file is replaced, kept, checked or a failure as the task says`() throws
    {
        #expect(try forecast(.replace, .file) == .fetch(.replaced))
        #expect(try forecast(.skip, .file) == .keep(isVerified: false))
        #expect(try forecast(.revalidate, .file) == .revalidate)
        #expect(try forecast(.fail, .file) == .fail(.exists))
    }

    @Test func `a checksum decides about an existing file`() throws {
        let checksum = TaskSpec.ExpectedChecksum.digest(Self.checksum)
        for rule in [TaskSpec.IfExists.replace, .skip, .revalidate] {
            let right = try forecast(rule, .file, checksum: checksum, hasChecksum: true)
            #expect(right == .keep(isVerified: true))
        }
        for rule in [TaskSpec.IfExists.replace, .skip] {
            let wrong = try forecast(rule, .file, checksum: checksum, hasChecksum: false)
            #expect(wrong == .fetch(.different))
        }
    }

    @Test func `a folder at the destination fails the task`() throws {
        for rule in [TaskSpec.IfExists.replace, .skip, .fail, .revalidate] {
            guard case .fail = try forecast(rule, Self.folder) else {
                Issue.record("\(rule) does not fail")
                return
            }
        }
    }

    @Test func `a link to nothing is a failure for a file that is to be kept`() throws {
        guard case .fail = try forecast(.skip, .danglingLink) else {
            Issue.record("the link counts as a file")
            return
        }
        #expect(try forecast(.replace, .danglingLink) == .fetch(.new))
    }

    @Test(arguments: ["POST", "PUT", "DELETE"])
    func `a method that may change the server is a sending`(method: String) throws {
        let data = try task {
            $0.kind = .data; $0.destination = nil; $0.method = method
        }
        #expect(TaskForecast(of: data, nil) == .send(method: method))
        let upload = try task {
            $0.kind = .upload; $0.destination = nil; $0.method = method
        }
        #expect(TaskForecast(of: upload, nil) == .send(method: method))
    }

    @Test func `conversations connect, and a name that the server chooses is unknown`() throws {
        let socket = try task {
            $0.kind = .webSocket; $0.destination = nil
        }
        #expect(TaskForecast(of: socket, nil) == .connect)
        let named = try task { $0.destination = .init(path: "/out/", displayPath: "out/") }
        #expect(TaskForecast(of: named, nil) == .fetch(.named))
        let data = try task {
            $0.kind = .data; $0.destination = nil
        }
        #expect(TaskForecast(of: data, nil) == .fetch(.new))
    }
}
