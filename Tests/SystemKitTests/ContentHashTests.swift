import SystemKit
import Testing

@Suite struct ContentHashTests {
    @Test(arguments: [1, 3, 7, 8, 9, 31, 32, 33, 64])
    func `pieces of any size come to the same`(size: Int) {
        let bytes = (0..<200).map { UInt8($0) }
        var hash = ContentHash()
        var rest = bytes[...]
        while !rest.isEmpty {
            hash.update(Array(rest.prefix(size)).span)
            rest = rest.dropFirst(size)
        }
        #expect(hash.value == ContentHash(of: bytes.span).value)
    }

    @Test func `what is changed, cut or longer has another hash`() {
        let bytes = [UInt8](repeating: 0, count: 100)
        var values = Set<UInt64>()
        for count in 0...100 {
            values.insert(ContentHash(of: bytes.span.extracting(first: count)).value)
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] = 1
            values.insert(ContentHash(of: changed.span).value)
        }
        #expect(values.count == 201)
    }

    @Test(arguments: [1, 8, 16, 32, 64])
    func `pieces that have changed places have another hash`(size: Int) {
        let bytes = (0..<128).map { UInt8($0) }
        var values: Set = [ContentHash(of: bytes.span).value]
        for start in stride(from: size, to: bytes.count, by: size) {
            let piece = bytes[start..<start + size]
            let moved = piece + bytes[..<start] + bytes[(start + size)...]
            values.insert(ContentHash(of: Array(moved).span).value)
        }
        #expect(values.count == bytes.count / size)
    }
}
