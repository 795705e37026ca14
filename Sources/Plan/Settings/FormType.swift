internal import JobFile
internal import SystemKit
internal import TransferModel

/// `form`: names and values of an `application/x-www-form-urlencoded` body.
enum FormType {
    private static let value = Shape.text(pattern: nil)

    static let type = ValueType<[UInt8]>(
        .named(.either(value, .list(value)), pattern: "^", hasFreeKeys: false)
    ) { reader, field in reader.with(\.isReadingBody, true) { form(field, &$0) } }.faultless
}

extension FormType {
    /// The entries of a mapping in its order, a list as its name again and again; nil after a
    /// fault.
    private static func form(_ field: Field, _ reader: inout Reader) -> [UInt8]? {
        guard reader.isMapping(field, help: "write `name: value`") else { return nil }
        var form = FormText()
        for entry in reader.document.entries(of: field.node) {
            let inner = Field(entry, in: reader.document)
            Slips.warnOfExpression(inKeyOf: inner, &reader)
            for node in reader.document.items(of: entry.value) {
                let value = Field(name: inner.name, key: inner.key, node: node)
                Slips.warnOfPlaceholders(in: value, isBody: true, &reader)
                guard let text = reader.sentText(value, as: .body) else { continue }
                form.append(name: inner.name, value: text)
                guard form.bytes.count <= JSONBody.largestBody else {
                    JSONBody.reportTooLarge(field.name, at: field.key, &reader)
                    return nil
                }
            }
        }
        return form.bytes
    }
}

/// The serializer of `application/x-www-form-urlencoded` (WHATWG URL Standard §5.2), in UTF-8.
struct FormText {
    private(set) var bytes: [UInt8] = []

    mutating func append(name: String, value: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        append(name)
        bytes.append(UInt8(ascii: "="))
        append(value)
    }

    private mutating func append(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case 0x20: bytes.append(UInt8(ascii: "+"))
            case _ where byte.isAlphanumeric || "*-._".utf8.contains(byte): bytes.append(byte)
            default: PercentCoding.encode(byte, into: &bytes)
            }
        }
    }
}
