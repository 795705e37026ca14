import CurlKit
import SystemKit
import Testing
import TransferModel

@testable import Transfer

/// The task's file in a running conversation, over a channel of a test.
@Suite struct ConversationFileTests {
    /// An exchange whose file is an array.
    private final class Host: ConversationHost {
        var file: [UInt8] = []
        /// The error that each write to the file throws; nil to take the bytes.
        var fault: SystemError?
        let setting: ConversationSetting
        let requiresCloseNotify = true
        let hasFile = true
        private let request: RequestSpec

        init() throws {
            setting = ConversationSetting(
                clock: RunClock(
                    wall: Timestamp(microseconds: 0),
                    monotonic: .now,
                    maximumSkewMicroseconds: 0
                ),
                idleLimit: nil
            )
            request = RequestSpec(method: "STREAM", url: try HTTPURL("http://host/"))
        }

        var stage: ExchangeStage {
            ExchangeStage(phase: .receive, hasSentAnything: true, hasSentBody: false)
        }

        var upgradeSpec: UpgradeSpec { UpgradeSpec(request: request, lines: []) }

        func beginSecurity() throws(TransferFailure) -> StreamSecurity {
            throw TransferFailure(kind: .tls, phase: .tls, detail: "no TLS")
        }

        func openFile() throws(SystemError) {}

        func writeFile(_ bytes: Span<UInt8>) throws(SystemError) {
            if let fault { throw fault }
            for index in bytes.indices { file.append(bytes[index]) }
        }

        func didSendUpgrade(_ head: Span<UInt8>, at now: MonotonicTime) {}
        func readUpgrade(_ line: Span<UInt8>) -> UpgradeProgress { .other }
        func refuseUpgrade(_ detail: String) {}
        func keepExcerpt(_ bytes: Span<UInt8>) {}
    }

    /// A channel that takes nothing until it has delivered its bytes.
    private final class Channel: ConversationChannel {
        private var arriving: [UInt8]

        init(_ arriving: [UInt8]) {
            self.arriving = arriving
        }

        func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int {
            arriving.isEmpty ? bytes.count : 0
        }

        func read(into buffer: inout [UInt8]) throws(TransferFailure) -> RawConnection.Received {
            guard !arriving.isEmpty else { return .nothing }
            defer { arriving = [] }
            buffer.replaceSubrange(0..<arriving.count, with: arriving)
            return .bytes(arriving.count)
        }

        func watch(_ interest: EventPoll.Interest) throws(SystemError) {}
        func shutDownSending() {}
        func close(saying farewell: [UInt8]) {}
    }

    /// Writes, and reads three bytes to the file, which arrive before the write is done.
    private func run(_ host: Host) -> RunningConversation {
        let reading = StreamReading(until: .count(3), maximumSize: nil, isForFile: true)
        let steps = [StreamStep(.write(.bytes([1]))), StreamStep(.read(reading))]
        let conversation = RunningConversation(
            StreamConversation(
                StreamSpec(isSecure: false, steps: steps),
                host.setting,
                at: .now
            ),
            of: host,
            over: Channel([7, 8, 9]),
            inShortTurns: false
        )
        while case .hasMore = conversation.turn(at: .now) {}
        return conversation
    }

    @Test func `the file gets the last bytes of a stream that arrived before their step`() throws {
        let host = try Host()
        let conversation = run(host)
        #expect(conversation.failure == nil)
        #expect(host.file == [7, 8, 9])
    }

    @Test func `a file that cannot take the last bytes of a stream fails the task`() throws {
        let host = try Host()
        host.fault = .diskFull("file")
        #expect(run(host).failure?.kind == .localIO)
    }
}
