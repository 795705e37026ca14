internal import CPCRE

/// A compiled PCRE2 pattern.
///
/// The limits are generous for a search and small for a run: they end a pattern that backtracks
/// without end, at one position or at each position.
@safe package struct RegularExpression: ~Copyable {
    /// The result of a search.
    package enum Outcome: Sendable, Hashable {
        /// Offsets of the first group or of the whole match.
        case found(Range<Int>)
        /// There is no match, or the wanted group took no part in it.
        case notFound
        /// The search reached a limit without a result.
        case gaveUp
    }

    /// The part of a match that a search returns.
    package enum Target: Sendable, Hashable {
        /// The first group, or the whole match when the pattern has no group.
        case firstGroup
        case wholeMatch
    }

    /// The longest pattern, bytes.
    package static let longestPattern = 4096

    private let pattern: OpaquePointer

    /// Loads libpcre2-8 when it is not loaded yet, and compiles the text; from any thread.
    package init(_ text: String) throws(RegularExpressionFault) {
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
            // PCRE2 accepts no null pointer, even for an empty text.
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

    /// Loads libpcre2-8 when it is not loaded yet, and returns its version, such as
    /// `10.42 2022-12-11`.
    ///
    /// - Throws: `unavailable` without it.
    package static func libraryVersion() throws(RegularExpressionFault) -> String {
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

    /// The fault of a pattern; nil for a pattern that can be compiled.
    package static func fault(in text: String) -> RegularExpressionFault? {
        do throws(RegularExpressionFault) {
            _ = try RegularExpression(text)
            return nil
        } catch {
            return error
        }
    }

    deinit { unsafe cpcre_free(pattern) }

    /// Finds the first match in bytes; invalid UTF-8 matches nothing.
    ///
    /// The search gives up after `nanoseconds`, after a million steps at one position, or with
    /// 64 MiB of backtracking state.
    package borrowing func search(
        _ subject: Span<UInt8>,
        for target: Target = .firstGroup,
        withinNanoseconds nanoseconds: Int64 = 5_000_000_000
    ) -> Outcome {
        let limits = cpcre_limits(steps: 1_000_000, heap: 64 << 10, nanoseconds: nanoseconds)
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
                    target == .wholeMatch,
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

/// Why a pattern cannot be compiled.
package enum RegularExpressionFault: Error, Sendable, Hashable {
    /// libpcre2-8 cannot be loaded; the text is the reason.
    case unavailable(String)
    /// The text is not a pattern; the offset, in UTF-8, is where the compiler stopped.
    case syntax(String, offset: Int)
}
