import Glibc
import SystemKit
import TestSupport
import Testing

@Suite struct StatusStreamTests {
    private let reader: Descriptor
    private let writer: Descriptor
    private let stream: StatusStream

    init() throws {
        (reader, writer) = try Descriptor.pipe()
        stream = StatusStream(descriptor: writer.number, patienceMilliseconds: 0)
    }

    private func readAll() -> String {
        var text = ""
        var entry = pollfd(fd: reader.number, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&entry, 1, 0) == 1, let bytes = reader.read(), !bytes.isEmpty {
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    @Test func `a stream writes each message whole`() {
        stream.write(Array("one\n".utf8))
        stream.write([])
        stream.write(Array("two\n".utf8))
        #expect(readAll() == "one\ntwo\n")
    }

    @Test func `unread messages are dropped and counted`() {
        let line = String(repeating: "x", count: 99) + "\n"
        for _ in 0..<2000 { stream.write(Array(line.utf8)) }
        let first = readAll()
        #expect(first.utf8.count < 200_000)
        #expect(first.hasPrefix(line))
        stream.write(Array("again\n".utf8))
        let lines = readAll().split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(
            lines.first?.wholeMatch(
                of: #/runner: [0-9]+ messages were dropped, because standard error was not read/#
            ) != nil
        )
        #expect(lines.last == "again")
    }
}
