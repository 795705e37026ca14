internal import TransferModel

/// The beginning of a refused response's body, made harmless for a message.
enum ServerExcerpt {
    private static let maximumScalars = 200

    /// `the server said: …`, or nil when the body is empty or no text.
    static func help(of bytes: [UInt8], head: ResponseHead?) -> String? {
        guard !bytes.isEmpty, isText(head?.mimeType) else { return nil }
        var text = ""
        var count = 0
        var needsSpace = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if count == maximumScalars {
                text += "…"
                break
            }
            if scalar.properties.isWhitespace {
                needsSpace = !text.isEmpty
                continue
            }
            // Controls, format characters and what is no character could move a terminal's cursor or hide text.
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned: continue
            default: break
            }
            if needsSpace {
                text += " "
                needsSpace = false
            }
            text.unicodeScalars.append(scalar)
            count += 1
        }
        return text.isEmpty ? nil : "the server said: \(text)"
    }

    private static func isText(_ mimeType: String?) -> Bool {
        guard let mimeType else { return false }
        return mimeType.hasPrefix("text/") || mimeType.hasSuffix("json")
            || mimeType.hasSuffix("xml")
    }
}
