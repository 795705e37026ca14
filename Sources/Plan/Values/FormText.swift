internal import SystemKit
internal import TransferModel

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
