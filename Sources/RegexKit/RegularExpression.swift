internal import CPCRE

/// A pattern in the syntax of PCRE2, compiled.
///
/// Its limits are generous for a search and small for a run: a pattern that steps back without end,
/// at one place or at each, ends at one of them.
@safe package struct RegularExpression: ~Copyable {
    /// Why there is no compiled pattern.
    package enum Fault: Error, Sendable, Hashable {
        /// libpcre2-8 cannot be loaded; the text says why.
        case unavailable(String)
        /// The text is no pattern; the offset is in UTF-8, where reading it stopped.
        case syntax(String, offset: Int)
    }

    /// What a search found.
    package enum Outcome: Sendable, Hashable {
        /// Offsets of the first group, or of the whole match when the pattern has no group.
        case found(Range<Int>)
        /// There is no match, or its first group has no part in it.
        case notFound
        /// The search reached a limit before it knew.
        case gaveUp
    }

    /// Bytes of a pattern.
    package static let longestPattern = 4096

    private let pattern: OpaquePointer

    /// Loads libpcre2-8 when it is not loaded yet, and compiles the text; from any thread.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.longestPattern else {
            throw .syntax("the pattern is longer than \(Self.longestPattern) bytes", offset: 0)
        }
        if let message = unsafe cpcre_load() {
            throw unsafe .unavailable(String(cString: message))
        }
        var fault: Int32 = 0
        var offset = 0
        let bytes = Array(text.utf8)
        let compiled = unsafe bytes.withUnsafeBufferPointer { buffer in
            // PCRE2 takes no null pointer, not even for no bytes.
            var none: UInt8 = 0
            return unsafe withUnsafePointer(to: &none) { none in
                unsafe cpcre_compile(buffer.baseAddress ?? none, buffer.count, &fault, &offset)
            }
        }
        guard let compiled = unsafe compiled else {
            throw .syntax(Self.description(of: fault), offset: min(max(offset, 0), bytes.count))
        }
        unsafe pattern = unsafe compiled
    }

    /// Loads libpcre2-8 when it is not loaded yet, and tells its version, such as
    /// `10.42 2022-12-11`.
    ///
    /// - Throws: `unavailable` without it.
    package static func libraryVersion() throws(Fault) -> String {
        if let message = unsafe cpcre_load() {
            throw unsafe .unavailable(String(cString: message))
        }
        var text = [CChar](repeating: 0, count: 64)
        unsafe cpcre_version(&text, text.count)
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }

    /// What is wrong with a text as a pattern; nil for one that can be compiled.
    package static func fault(in text: String) -> Fault? {
        do throws(Fault) {
            _ = try RegularExpression(text)
            return nil
        } catch {
            return error
        }
    }

    deinit { unsafe cpcre_free(pattern) }

    /// Looks for the first match in bytes, of which those that are no UTF-8 match nothing.
    ///
    /// It gives up after that time, a million steps at one place, or with 64 MiB of them to step
    /// back to.
    package borrowing func search(
        _ subject: Span<UInt8>,
        withinNanoseconds nanoseconds: Int64 = 5_000_000_000
    ) -> Outcome {
        let limits = cpcre_limits(
            steps: 1_000_000,
            heap: 64 << 10,
            nanoseconds: nanoseconds
        )
        var start = 0
        var end = 0
        let outcome = unsafe subject.withUnsafeBufferPointer { buffer in
            var none: UInt8 = 0
            return unsafe withUnsafePointer(to: &none) { none in
                unsafe cpcre_search(
                    pattern,
                    buffer.baseAddress ?? none,
                    buffer.count,
                    limits,
                    &start,
                    &end
                )
            }
        }
        return switch outcome {
        case CPCRE_FOUND: .found(start..<end)
        case CPCRE_NOT_FOUND: .notFound
        default: .gaveUp
        }
    }

    private static func description(of fault: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 256)
        unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe cpcre_describe(fault, buffer.baseAddress, buffer.count)
        }
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
}
