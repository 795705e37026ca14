internal import Glibc

/// Decodes text of an encoding in pieces, to find out whether it is valid (iconv(3)).
///
/// Not for several threads at the same time.
@safe package final class CharacterDecoder {
    private let descriptor: iconv_t
    /// The beginning of a character whose rest has not arrived.
    private var rest: [UInt8] = []
    /// The number of bytes before `rest`.
    private var offset: Int64 = 0
    private var output = [CChar](repeating: 0, count: 4096)

    /// More bytes than any character has, with the escape sequence before it.
    private static let longestCharacter = 64

    /// The decoder of an encoding by its name; nil when this machine cannot decode it.
    package init?(_ name: String) {
        guard let descriptor = unsafe iconv_open("UTF-8", name),
            unsafe descriptor != iconv_t(bitPattern: -1)
        else { return nil }
        unsafe self.descriptor = descriptor
    }

    deinit { unsafe iconv_close(descriptor) }

    /// Whether the last character is complete.
    package var isComplete: Bool { rest.isEmpty }

    /// Takes a piece; returns the offset in the text of the first invalid byte.
    package func take(_ bytes: Span<UInt8>) -> Int64? {
        guard bytes.count > 0 else { return nil }
        var input = rest
        input.reserveCapacity(rest.count + bytes.count)
        for index in bytes.indices { input.append(bytes[index]) }
        let (used, isValid) = decode(&input)
        offset += Int64(used)
        guard isValid, input.count - used <= Self.longestCharacter else { return offset }
        rest = Array(input[used...])
        return nil
    }

    /// Decodes as much as possible; returns the number of decoded bytes, and whether the byte
    /// after them may belong to a character.
    private func decode(_ input: inout [UInt8]) -> (used: Int, isValid: Bool) {
        let count = input.count
        return unsafe input.withUnsafeMutableBytes { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                var next = unsafe source.baseAddress?.assumingMemoryBound(to: CChar.self)
                var left = count
                while left > 0 {
                    var place = target.baseAddress
                    var room = target.count
                    let result = unsafe iconv(descriptor, &next, &left, &place, &room)
                    guard result == Int(bitPattern: UInt.max) else { break }
                    // A full buffer is emptied; its text is not needed.
                    if errno == E2BIG, room < target.count { continue }
                    return (count - left, errno == EINVAL)
                }
                return (count - left, true)
            }
        }
    }
}
