internal import CYAML
internal import Diagnostics
internal import Glibc
internal import SystemKit

/// The libyaml that this program is linked with.
package enum YAMLLibrary {
    /// Such as `0.2.5`.
    package static var version: String {
        unsafe yaml_get_version_string().map { unsafe String(cString: $0) } ?? "unknown"
    }
}

/// libyaml's event parser over a byte array; its current event and error as Swift values.
///
/// Only this file of the target uses pointers. Contents are passed on as spans that live only
/// during a closure.
@safe struct EventReader: ~Copyable {
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart
        case documentEnd
        case alias
        case scalar
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
    }

    /// A position in libyaml's counts.
    struct Mark {
        /// 0-based, in Unicode scalars from the start of the parsed bytes.
        var index: Int
        /// 1-based.
        var line: UInt32
        /// 1-based, in Unicode scalars.
        var column: UInt32

        var point: SourceRange {
            SourceRange(SourcePosition(line: Int(line), column: Int(column)))
        }
    }

    /// The error that stopped libyaml.
    struct Problem {
        var message: String
        var mark: Mark
        var context: String?
        var contextMark: Mark

        /// Whether an escape has the number of no character, as half a surrogate pair has.
        var isAboutEscape: Bool { message == "found invalid Unicode character escape code" }
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: UnsafeBufferPointer<UInt8>
    private let lacking: LackingScalars?
    private let isInitialized: Bool

    private init(_ input: UnsafeBufferPointer<UInt8>, _ lacking: LackingScalars? = nil) {
        unsafe self.input = input
        self.lacking = lacking
        unsafe parser = .allocate(capacity: 1)
        unsafe event = .allocate(capacity: 1)
        unsafe event.initialize(to: yaml_event_t())
        unsafe parser.initialize(to: yaml_parser_t())
        // Fails only for lack of memory.
        isInitialized = unsafe yaml_parser_initialize(parser) == 1
        guard isInitialized else { return }
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        unsafe yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    }

    deinit {
        unsafe yaml_event_delete(event)
        if isInitialized { unsafe yaml_parser_delete(parser) }
        unsafe event.deallocate()
        unsafe parser.deallocate()
    }

    /// Parses `bytes` from `start` on, which must be valid UTF-8.
    static func read<Result>(
        _ bytes: [UInt8],
        from start: Int,
        _ body: (borrowing EventReader) -> Result
    ) -> Result {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            let reader = unsafe EventReader(UnsafeBufferPointer(rebasing: buffer[start...]))
            return body(reader)
        }
    }

    /// Parses a text that lacks scalars of its source; the marks are positions in the source.
    static func read<Result>(
        _ text: [UInt8],
        lacking: LackingScalars,
        _ body: (borrowing EventReader) -> Result
    ) -> Result {
        unsafe text.withUnsafeBufferPointer { body(unsafe EventReader($0, lacking)) }
    }

    /// Moves to the next event; nil after an error, which is then in `problem`.
    func next() -> Kind? {
        unsafe yaml_event_delete(event)
        guard isInitialized, unsafe yaml_parser_parse(parser, event) == 1 else { return nil }
        switch unsafe event.pointee.type {
        case YAML_STREAM_START_EVENT: return .streamStart
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        case YAML_DOCUMENT_END_EVENT: return .documentEnd
        case YAML_ALIAS_EVENT: return .alias
        case YAML_SCALAR_EVENT: return .scalar
        case YAML_SEQUENCE_START_EVENT: return .sequenceStart
        case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
        case YAML_MAPPING_START_EVENT: return .mappingStart
        case YAML_MAPPING_END_EVENT: return .mappingEnd
        default: return .streamEnd
        }
    }

    var problem: Problem {
        guard isInitialized, unsafe parser.pointee.problem != nil else {
            let start = Mark(index: 0, line: 1, column: 1)
            return Problem(message: "out of memory", mark: start, context: nil, contextMark: start)
        }
        let context = unsafe parser.pointee.context.map { unsafe String(cString: $0) }
        return unsafe Problem(
            message: String(cString: parser.pointee.problem),
            mark: mark(parser.pointee.problem_mark),
            context: context,
            contextMark: mark(parser.pointee.context_mark)
        )
    }

    var start: Mark { unsafe mark(event.pointee.start_mark) }
    var end: Mark { unsafe mark(event.pointee.end_mark) }

    /// The anchor of the current node, or the target of the current alias.
    func anchor(of kind: Kind) -> String? {
        let name: UnsafeMutablePointer<yaml_char_t>? =
            switch kind {
            case .alias: unsafe event.pointee.data.alias.anchor
            case .scalar: unsafe event.pointee.data.scalar.anchor
            case .sequenceStart: unsafe event.pointee.data.sequence_start.anchor
            case .mappingStart: unsafe event.pointee.data.mapping_start.anchor
            default: nil
            }
        return unsafe name.map { unsafe String(cString: $0) }
    }

    /// The tag of the current node with its resolved handle.
    func tag(of kind: Kind) -> String? {
        let name: UnsafeMutablePointer<yaml_char_t>? =
            switch kind {
            case .scalar: unsafe event.pointee.data.scalar.tag
            case .sequenceStart: unsafe event.pointee.data.sequence_start.tag
            case .mappingStart: unsafe event.pointee.data.mapping_start.tag
            default: nil
            }
        return unsafe name.map { unsafe String(cString: $0) }
    }

    /// Whether the starting collection has brackets or braces.
    func isFlow(_ kind: Kind) -> Bool {
        switch kind {
        case .sequenceStart:
            unsafe event.pointee.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
        case .mappingStart:
            unsafe event.pointee.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
        default:
            false
        }
    }

    var isPlainScalar: Bool { unsafe event.pointee.data.scalar.style == YAML_PLAIN_SCALAR_STYLE }
    var isDoubleQuoted: Bool {
        unsafe event.pointee.data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
    }
    var isBlockScalar: Bool {
        let style = unsafe event.pointee.data.scalar.style
        return style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE
    }

    /// The number of bytes of the current scalar's value.
    var valueLength: Int { unsafe event.pointee.data.scalar.length }

    /// Whether the current scalar's value equals the source's bytes at `offset`; false for a text
    /// that lacks scalars.
    func valueStands(at offset: Int) -> Bool {
        let length = valueLength
        guard lacking == nil, offset >= 0, length <= (unsafe input.count) - offset else {
            return false
        }
        guard length > 0, let base = unsafe input.baseAddress else { return true }
        return unsafe memcmp(base + offset, event.pointee.data.scalar.value, length) == 0
    }

    /// Whether the current scalar's value contains `${`.
    var valueHasInterpolation: Bool {
        var rest = unsafe UnsafeRawBufferPointer(
            start: event.pointee.data.scalar.value,
            count: valueLength
        )
        while let base = rest.baseAddress,
            let found = unsafe memchr(base, Int32(UInt8(ascii: "$")), rest.count)
        {
            let after = unsafe UnsafeRawPointer(found) - base + 1
            guard after < rest.count else { return false }
            if unsafe rest[after] == UInt8(ascii: "{") { return true }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[after...])
        }
        return false
    }

    /// Appends the current scalar's value to `bytes`.
    func appendValue(to bytes: inout [UInt8]) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: event.pointee.data.scalar.value,
                count: valueLength
            )
        )
    }

    private func mark(_ mark: yaml_mark_t) -> Mark {
        var (index, column) = (mark.index, mark.column &+ 1)
        if let lacking {
            let count = lacking.count(before: mark.index)
            index &+= count
            column &+= count &- lacking.count(before: mark.index &- mark.column)
        }
        return Mark(
            index: index,
            line: UInt32(truncatingIfNeeded: mark.line &+ 1),
            column: UInt32(truncatingIfNeeded: column)
        )
    }
}

/// The Unicode scalars of a source that a text made of it lacks.
struct LackingScalars {
    /// The places in the text, ascending, in scalars.
    let places: [Int]
    /// The number of scalars that the text lacks at each place.
    let count: Int

    /// The number of scalars that the text lacks before a position in it.
    func count(before index: Int) -> Int {
        (0..<places.count).partitioningIndex { places[$0] >= index } * count
    }
}
