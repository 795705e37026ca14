import Glibc

extension [UInt8] {
    /// The end of the first occurrence of some bytes; nil without one.
    ///
    /// The standard library's search takes a microsecond for each byte in a debug build.
    ///
    /// - Parameters:
    ///   - part: The bytes.
    ///   - start: Where an occurrence may begin.
    /// - Returns: The index after it.
    package func end(of part: [UInt8], from start: Int = 0) -> Int? {
        guard let last = part.last else { return start }
        return unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var from = start + part.count - 1
            while from < bytes.count,
                let found = unsafe memchr(base + from, Int32(last), bytes.count - from)
            {
                from = unsafe UnsafeRawPointer(found) - base + 1
                if unsafe bytes[(from - part.count)..<from].elementsEqual(part) { return from }
            }
            return nil
        }
    }
}
