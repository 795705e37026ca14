import Glibc

extension [UInt8] {
    /// The end of the first occurrence of some bytes; nil without one.
    ///
    /// The standard library's search takes a microsecond for each byte in a debug build.
    ///
    /// - Parameter start: Where an occurrence may begin.
    package func end(of part: [UInt8], from start: Int = 0) -> Int? {
        guard let last = part.last else { return start }
        return unsafe withUnsafeBytes { bytes in
            var from = start + part.count - 1
            while from < bytes.count,
                let found = unsafe memchr(
                    bytes.baseAddress! + from,
                    Int32(last),
                    bytes.count - from
                )
            {
                from = unsafe UnsafeRawPointer(found) - bytes.baseAddress! + 1
                if unsafe bytes[(from - part.count)..<from].elementsEqual(part) { return from }
            }
            return nil
        }
    }
}
