import CurlKit
import SystemKit
import TestSupport
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
        var hasBegunSecurity = false
        let setting: ConversationSetting
        let requiresCloseNotify = true
        let hasFile = true

        init() {
            setting = ConversationSetting(
                clock: RunClock(
                    wall: Timestamp(microseconds: 0),
                    monotonic: .now,
                    maximumSkewMicroseconds: 0
                ),
                idleLimit: nil
            )
        }

        var stage: ExchangeStage {
            ExchangeStage(phase: .receive, hasSentAnything: true, hasSentBody: false)
        }

        func beginSecurity() throws(TransferFailure) -> StreamSecurity {
            hasBegunSecurity = true
            throw TransferFailure(kind: .tls, phase: .tls, detail: "no TLS")
        }

        func openFile() throws(SystemError) {}

        func writeFile(_ bytes: Span<UInt8>) throws(SystemError) {
            if let fault { throw fault }
            for index in bytes.indices { file.append(bytes[index]) }
        }
    }

    /// A channel that takes nothing until it has delivered its bytes.
    private final class Channel: ConversationChannel {
        private var arriving: [UInt8]
        private(set) var written: [UInt8] = []
        /// Called after each write.
        private let didWrite: () -> Void

        init(_ arriving: [UInt8] = [], didWrite: @escaping () -> Void = {}) {
            self.arriving = arriving
            self.didWrite = didWrite
        }

        func write(_ bytes: Span<UInt8>) throws(TransferFailure) -> Int {
            guard arriving.isEmpty else { return 0 }
            for index in bytes.indices { written.append(bytes[index]) }
            didWrite()
            return bytes.count
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
        return run(steps, of: host, over: Channel([7, 8, 9]))
    }

    private func run(
        _ steps: [StreamStep],
        of host: Host,
        over channel: Channel
    ) -> RunningConversation {
        let conversation = RunningConversation(
            StreamConversation(
                StreamSpec(isSecure: false, steps: steps),
                host.setting,
                at: .now
            ),
            of: host,
            over: channel,
            inShortTurns: false
        )
        while case .hasMore = conversation.turn(at: .now) {}
        return conversation
    }

    @Test func `the file gets the last bytes of a stream that arrived before their step`() {
        let host = Host()
        let conversation = run(host)
        #expect(conversation.failure == nil)
        #expect(host.file == [7, 8, 9])
    }

    @Test func `a file that cannot take the last bytes of a stream fails the task`() {
        let host = Host()
        host.fault = .diskFull("file")
        #expect(run(host).failure?.kind == .localIO)
    }

    @Test(arguments: [true, false])
    func `a write of nothing does not delay the TLS behind it`(isFile: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("", to: "f")
        let content = isFile ? StepContent.file(path: path) : .bytes([])
        let steps = [StreamStep(.write(content)), StreamStep(.startSecureConnection)]
        let host = Host()
        #expect(run(steps, of: host, over: Channel()).failure?.kind == .tls)
        #expect(host.hasBegunSecurity)
    }

    @Test func `a step opens its file once`() throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let path = try folder.write(bytes, to: "f")
        let channel = Channel { _ = try? Command("rm", ["-f", path]).run() }
        let host = Host()
        let conversation = run([StreamStep(.write(.file(path: path)))], of: host, over: channel)
        #expect(conversation.failure == nil)
        #expect(channel.written == bytes)
        #expect(!folder.contains("f") && host.file.isEmpty)
    }
}
