import Glibc
import SystemKit
import Testing

@Suite struct SystemTextTests {
    /// A text of the system with those bytes.
    private func text(_ bytes: [UInt8]) -> String {
        unsafe (bytes + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
            unsafe $0.baseAddress.map { unsafe String(systemText: $0) } ?? ""
        }
    }

    /// The bytes that a system call gets for a text.
    private func received(_ text: String) -> [UInt8] {
        unsafe text.withSystemText { pointer in
            unsafe UnsafeBufferPointer(start: pointer, count: strlen(pointer))
                .map { UInt8(bitPattern: $0) }
        }
    }

    private static let samples: [[UInt8]] = [
        [], Array("plain".utf8), Array("Straße 😀 e\u{301}".utf8), [0xFF], [0x80], [0xC3],
        [0x64, 0xFF, 0x2F, 0xFE], [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x8F, 0xBE, 0x80],
        [0xF4, 0x8F, 0xBE], [0xF4, 0x90, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0x80],
        Array("ü".utf8) + [0xE2, 0x82], [0xE2, 0x82] + Array("ü".utf8),
        (1...255).map { UInt8($0) },
    ]

    @Test(arguments: samples)
    func `any bytes of a text are restored`(bytes: [UInt8]) {
        let text = text(bytes)
        #expect(text.systemBytes == bytes)
        #expect(received(text) == bytes)
    }

    @Test func `texts of other bytes are other texts`() {
        #expect(Set(Self.samples.map { ByteKey(text($0)) }).count == Self.samples.count)
    }

    /// A string that is compared byte by byte.
    private struct ByteKey: Hashable {
        let bytes: [UInt8]

        init(_ text: String) { bytes = Array(text.utf8) }
    }

    @Test func `UTF-8 is shown as it is, and other bytes are escaped`() {
        #expect(text(Array("Straße".utf8)) == "Straße")
        #expect(!text(Array("Straße 😀".utf8)).hasForeignBytes)
        #expect(text([0x64, 0xFF]).hasForeignBytes)
        #expect(text([0x64, 0xFF, 0x2F]).shownSystemText == "d\\xFF/")
    }
}
