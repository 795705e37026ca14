internal import Diagnostics
internal import TransferModel

/// Finds settings that need a file in one piece, beside `segments`.
enum SegmentsCheck {
    static func check(_ draft: TaskDraft, at place: TaskPlace, _ log: inout DiagnosticLog) {
        guard let segments = draft.segments, segments != .count(1) else { return }
        if let method = draft.method, method != "GET" {
            report("`method: \(method)`", "method", at: place, "only a GET fetches a file", &log)
        }
        if draft.decodesBody == true {
            report("`decode: true`", "decode", at: place, "parts cannot be decoded", &log)
        }
        if draft.headers.contains(where: { ["range", "if-range"].contains($0.name.lowercased()) }) {
            let reason = "runner sets the range of each request itself"
            report("a `Range` in `headers`", "headers", at: place, reason, &log)
        }
        if draft.expectation.textEncoding != nil || draft.expectation.looksIntoBody {
            let key = place.setting("expect") == nil ? "capture" : "expect"
            let reason = "the content is checked while it arrives in order"
            report("a check of the content by `\(key)`", key, at: place, reason, &log)
        }
    }

    private static func report(
        _ what: String,
        _ key: String,
        at place: TaskPlace,
        _ reason: String,
        _ log: inout DiagnosticLog
    ) {
        place.report(
            .conflictingKeys,
            "\(what)\(place.context) does not work with `segments`: \(reason)",
            at: place.key(key),
            help: "remove one of them, or write `segments: 1`",
            &log
        )
    }
}
