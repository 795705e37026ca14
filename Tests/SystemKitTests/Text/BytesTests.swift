import SystemKit
import Testing

@Suite struct BytesTests {
    /// Every place in texts below, at and above the length of a machine word.
    @Test(arguments: 0...25)
    func `a byte that JSON escapes is found at any position`(length: Int) {
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        let isPlain = plain.span.isPlain
        #expect(isPlain)
        for place in plain.indices {
            for byte in UInt8.min...UInt8.max {
                var text = plain
                text[place] = byte
                let isFound = !text.span.isPlain
                let isEscaped = !(0x20..<0x7F).contains(byte) || byte == 0x22 || byte == 0x5C
                #expect(isFound == isEscaped, "\(byte) at \(place) of \(length)")
            }
        }
    }

    @Test(arguments: 0...25)
    func `the first unprintable byte is found at any position`(length: Int) {
        let plain = [UInt8](repeating: UInt8(ascii: "a"), count: length)
        for start in 0...length {
            let end = plain.span.endOfPrintableASCII(from: start)
            #expect(end == length)
        }
        for place in plain.indices {
            for byte in UInt8.min...UInt8.max {
                var text = plain
                text[place] = byte
                // The bytes behind the text change nothing.
                if place + 1 < length { text[place + 1] = ~byte }
                let end = text.span.endOfPrintableASCII(from: place / 2)
                let isPrintable = (0x20..<0x7F).contains(byte)
                #expect(
                    isPrintable ? end > place : end == place,
                    "\(byte) at \(place) of \(length)"
                )
            }
        }
    }

    @Test func `bytes of a span are appended at once`() {
        var bytes: [UInt8] = [1]
        let more: [UInt8] = [2, 3]
        bytes.append(more.span)
        #expect(bytes == [1, 2, 3])
    }

    // Test vectors of http://www.isthe.com/chongo/src/fnv/test_fnv.c.
    @Test(arguments: [
        ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C),
        ("foobar", 0x8594_4171_F739_67E8),
    ])
    func `FNV-1a matches its authors' values`(text: String, hash: UInt64) {
        let found = text.utf8.span.fnv1a
        #expect(found == hash)
    }

    @Test(arguments: 0...25)
    func `the first byte beyond ASCII is found at any position`(length: Int) {
        let plain = (0..<length).map { UInt8($0 * 5) }
        for start in 0...length {
            let end = plain.span.endOfASCII(from: start)
            #expect(end == length)
        }
        for place in plain.indices {
            for byte in UInt8.min...UInt8.max {
                var text = plain
                text[place] = byte
                // The bytes behind the text change nothing.
                if place + 1 < length { text[place + 1] = ~byte }
                let end = text.span.endOfASCII(from: place / 2)
                #expect(
                    byte < 0x80 ? end > place : end == place,
                    "\(byte) at \(place) of \(length)"
                )
            }
        }
    }

    @Test(arguments: 0...40)
    func `a mask meets each byte from its start on and none before it`(length: Int) {
        let plain = (0..<length).map { UInt8($0 * 6) }
        let key: [UInt8] = [0x11, 0x22, 0x44, 0x88]
        for start in 0...length + 1 {
            var masked = plain
            masked.applyMask(0x8844_2211, from: start)
            for (place, byte) in plain.enumerated() {
                let mask = place < start ? 0 : key[(place - start) % 4]
                #expect(masked[place] == byte ^ mask)
            }
        }
    }
}
