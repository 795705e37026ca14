import SystemKit
import Testing

@Suite struct OutputBufferTests {
    @Test func `appended bytes are in order at any size`() {
        var buffer = OutputBuffer()
        var expected: [UInt8] = []
        let piece = (0..<100).map { UInt8($0) }
        for number in 0..<200 {
            let byte = UInt8(truncatingIfNeeded: number)
            buffer.append(byte)
            buffer.append(piece.span)
            buffer.append("text")
            expected += [byte] + piece + Array("text".utf8)
        }
        #expect(buffer.bytes == expected)
        #expect(buffer.count == expected.count)
    }

    @Test func `an empty piece appends nothing`() {
        var buffer = OutputBuffer()
        let nothing: [UInt8] = []
        buffer.append(nothing.span)
        buffer.append("")
        buffer.append(OutputBuffer())
        #expect(buffer.count == 0)
        #expect(buffer.bytes == [])
    }

    @Test func `a buffer appends another buffer`() {
        var first = OutputBuffer()
        var second = OutputBuffer()
        first.append("one ")
        second.append("two")
        first.append(second)
        #expect(String(decoding: first.bytes, as: UTF8.self) == "one two")
        #expect(second.count == 3)
    }

    @Test func `removed bytes are gone and the capacity stays`() {
        var buffer = OutputBuffer()
        buffer.reserve(10_000)
        buffer.append("old")
        buffer.removeAll()
        buffer.append("new")
        buffer.withBytes { bytes in
            #expect(bytes.indices.map { bytes[$0] } == Array("new".utf8))
        }
    }
}
