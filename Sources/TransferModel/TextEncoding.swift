internal import SystemKit

/// A text encoding by its preferred MIME name (IANA character sets).
///
/// The runner checks the first three by itself, the others with iconv(3).
package enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    case utf8 = "utf-8"
    case ascii = "us-ascii"
    case latin1 = "iso-8859-1"
    /// Begins with a byte order mark; big endian without one (RFC 2781 §4.3).
    case utf16 = "utf-16"
    case utf16be = "utf-16be"
    case utf16le = "utf-16le"
    case utf32 = "utf-32"
    case utf32be = "utf-32be"
    case utf32le = "utf-32le"
    case latin2 = "iso-8859-2"
    case latin3 = "iso-8859-3"
    case latin4 = "iso-8859-4"
    case cyrillic = "iso-8859-5"
    case arabic = "iso-8859-6"
    case greek = "iso-8859-7"
    case hebrew = "iso-8859-8"
    case latin5 = "iso-8859-9"
    case latin6 = "iso-8859-10"
    case thai = "iso-8859-11"
    case latin7 = "iso-8859-13"
    case latin8 = "iso-8859-14"
    case latin9 = "iso-8859-15"
    case latin10 = "iso-8859-16"
    case windows1250 = "windows-1250"
    case windows1251 = "windows-1251"
    case windows1252 = "windows-1252"
    case windows1253 = "windows-1253"
    case windows1254 = "windows-1254"
    case windows1255 = "windows-1255"
    case windows1256 = "windows-1256"
    case windows1257 = "windows-1257"
    case windows1258 = "windows-1258"
    case koi8r = "koi8-r"
    case koi8u = "koi8-u"
    case macintosh
    case ibm437
    case ibm850
    case ibm852
    case ibm866
    case tis620 = "tis-620"
    case shiftJIS = "shift_jis"
    case eucJP = "euc-jp"
    case iso2022JP = "iso-2022-jp"
    case eucKR = "euc-kr"
    case gb2312
    case gbk
    case gb18030
    case big5
    case big5hkscs = "big5-hkscs"

    /// The order of the bytes of a character.
    package enum ByteOrder: Sendable {
        case big
        case little
    }

    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { (plain($0.rawValue), $0) }
    )

    /// Other names of the same encodings, without signs.
    private static let aliases: [String: TextEncoding] = [
        "ascii": .ascii, "iso646us": .ascii, "latin1": .latin1, "l1": .latin1, "latin2": .latin2,
        "latin3": .latin3, "latin4": .latin4, "latin5": .latin5, "latin6": .latin6,
        "latin9": .latin9, "latin10": .latin10, "mac": .macintosh, "xmacroman": .macintosh,
        "cp437": .ibm437, "cp850": .ibm850, "cp852": .ibm852, "cp866": .ibm866, "sjis": .shiftJIS,
        "xsjis": .shiftJIS, "mskanji": .shiftJIS, "xeucjp": .eucJP, "xgbk": .gbk, "cp936": .gbk,
        "euccn": .gb2312, "xxbig5": .big5,
    ]

    /// The encoding with a name, in any case; also accepts common aliases.
    package init?(charset: String) {
        let name = Self.plain(charset)
        if let known = Self.names[name] ?? Self.aliases[name] {
            self = known
            return
        }
        // `cp1252` and `x-cp1252` are `windows-1252`.
        let page = name.hasBytePrefix("x") ? name.dropFirst() : name[...]
        guard page.hasBytePrefix("cp125"), let known = Self.names["windows" + page.dropFirst(2)]
        else { return nil }
        self = known
    }

    /// Whether bytes below 128 mean the characters of ASCII.
    package var extendsASCII: Bool { unit == nil }

    /// The encoding with that byte order; the same encoding when it has units of one byte.
    package func ordered(_ order: ByteOrder) -> TextEncoding {
        switch (unit, order) {
        case (2, .big): .utf16be
        case (2, .little): .utf16le
        case (4, .big): .utf32be
        case (4, .little): .utf32le
        default: self
        }
    }

    /// Whether a declaration of `other` agrees with this encoding: names without a byte order agree
    /// with both.
    package func agrees(with other: TextEncoding) -> Bool {
        self == other || unit != nil && unit == other.unit && (isOpen || other.isOpen)
    }

    /// Whether the body must declare its byte order.
    package var isOpen: Bool { self == .utf16 || self == .utf32 }

    /// The bytes of the units of UTF-16 and UTF-32; nil for other encodings.
    private var unit: Int? {
        switch self {
        case .utf16, .utf16be, .utf16le: 2
        case .utf32, .utf32be, .utf32le: 4
        default: nil
        }
    }

    /// A name in small letters without signs: `Shift_JIS` and `shift-jis` are the same.
    private static func plain(_ name: String) -> String {
        String(
            decoding: name.lowercased().utf8.filter {
                $0.isLowercase || $0.isDigit
            },
            as: UTF8.self
        )
    }
}
