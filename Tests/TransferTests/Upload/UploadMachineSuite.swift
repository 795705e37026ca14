import Testing
import TransferModel

@testable import Transfer

/// Tests of the machine of an upload.
protocol UploadMachineSuite {
    var urls: UploadMachineURLs { get }
}

/// The URL of a task, and the one of its upload.
struct UploadMachineURLs {
    let task: TransferURL
    let own: TransferURL

    init() throws {
        task = try TransferURL("http://a.test/files")
        own = try TransferURL("http://a.test/u/1")
    }
}

/// A machine, and the URL that answers it.
@dynamicMemberLookup
final class UploadMachineDriver {
    private var machine: UploadMachine
    private let task: TransferURL

    init(_ machine: UploadMachine, _ task: TransferURL) {
        self.machine = machine
        self.task = task
    }

    subscript<Value>(dynamicMember path: KeyPath<UploadMachine, Value>) -> Value {
        machine[keyPath: path]
    }

    var copy: UploadMachineDriver { UploadMachineDriver(machine, task) }

    func inform(_ lines: [String]) -> Bool {
        machine.didInform(Self.fields(lines), from: task)
    }

    func answer(
        _ status: Int,
        _ lines: String...,
        isSent: Bool = true
    ) -> UploadStep {
        answer(status, lines, isSent: isSent)
    }

    func answer(_ status: Int, _ lines: [String], isSent: Bool = true) -> UploadStep {
        let head = ResponseHead(statusCode: status, fields: Self.fields(lines))
        if isSent { didSendAll() }
        return machine.didAnswer(head, from: task, isSent: isSent)
    }

    func didCancel() -> UploadStep { machine.didCancel() }
    func didSend(upTo position: Int64) { machine.didSend(upTo: position) }

    func didSendAll() {
        switch machine.leg {
        case .creation: machine.didSend(upTo: machine.total)
        case .append(_, let end): machine.didSend(upTo: end)
        case .offset, .cancellation, .over: break
        }
    }

    private static func fields(_ lines: [String]) -> HeaderFields {
        var fields = HeaderFields()
        for line in lines { fields.append(line: Array(line.utf8).span) }
        return fields
    }
}

extension UploadMachineSuite {
    typealias Driver = UploadMachineDriver

    var task: TransferURL { urls.task }
    var own: TransferURL { urls.own }

    func machine(
        total: Int64 = 1_000_000,
        version: UploadVersion = .v6,
        isRepeatable: Bool = false
    ) -> Driver {
        Driver(UploadMachine(total: total, version: version, isRepeatable: isRepeatable), task)
    }

    /// A machine that has its URL.
    func begun(isRepeatable: Bool = false, limit: Int? = nil) -> Driver {
        let machine = machine(isRepeatable: isRepeatable)
        let limits = limit.map { ["Upload-Limit: max-append-size=\($0)"] } ?? []
        #expect(machine.inform(["Upload-Draft-Interop-Version: 6", "Location: /u/1"] + limits))
        return machine
    }

    /// The upload that another attempt has left.
    func partial(
        version: UploadVersion = .v6,
        confirmed: Int64 = 0,
        lateStatus: Int? = nil
    ) -> PartialUpload {
        PartialUpload(
            url: own,
            version: version,
            digest: "d",
            salt: "s",
            total: 1_000_000,
            confirmed: confirmed,
            mayBeComplete: true,
            lateStatus: lateStatus,
            creationDate: Timestamp(microseconds: 0)
        )
    }

    /// A machine that asks for the offset.
    func asking(isRepeatable: Bool = false, confirmed: Int64 = 0) -> Driver {
        Driver(
            UploadMachine(
                resuming: partial(confirmed: confirmed),
                of: 1_000_000,
                match: .upload,
                isRepeatable: isRepeatable
            ),
            task
        )
    }
}
