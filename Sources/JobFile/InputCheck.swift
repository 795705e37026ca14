internal import Diagnostics

/// What is known of the bytes before they are parsed: that they are UTF-8 text of an allowed size.
///
/// libyaml checks this too, but its reader loses the place.
struct InputCheck {
    /// Where the text begins: behind a byte order mark.
    let base: Int
    let isASCII: Bool

    /// Why the bytes are not text.
    struct Refusal: Error {
        let diagnostic: Diagnostic
    }

    static func check(_ source: SourceText) -> Result<InputCheck, Refusal> {
        let bytes = source.bytes
        guard bytes.count <= DocumentLimits.bytes else {
            return .failure(
                Refusal(
                    diagnostic: Diagnostic(
                        code: "yaml.too-large",
                        "a job file may be at most 64 MiB long",
                        at: SourceRange(SourcePosition(line: 1, column: 1))
                    )
                )
            )
        }
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        return .success(InputCheck(base: hasMark ? 3 : 0, isASCII: !bytes.contains { $0 >= 0x80 }))
    }
}
