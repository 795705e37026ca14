internal import JSON
internal import TransferModel

/// The place of a value in a job file, which decides how much of the value is shown.
struct ValuePlace {
    /// The values that the place accepts; any, if the language does not know its key.
    let shape: Shape
    /// The key in front of it.
    let key: String
    /// Whether the key is one of the language, and not a name that the job chose.
    let isKnown: Bool
    /// Whether a credential may be beside it, so that a slip can exchange the two values.
    private(set) var isBesideCredential: Bool
    /// Whether it says where a secret comes from: another text in its place is the secret itself.
    private(set) var isSource = false

    /// A place in free space.
    static let unknown = ValuePlace(shape: .anything, key: "", isKnown: false)

    /// A place with a known shape.
    init(shape: Shape, key: String, isKnown: Bool, isBesideCredential: Bool = false) {
        self.isBesideCredential = isBesideCredential
        self.shape = shape
        self.key = key
        self.isKnown = isKnown
    }

    /// The place under a key of a mapping with the shape.
    init(of name: String, in mapping: Shape) {
        shape = mapping.value(of: name) ?? .anything
        key = name
        isKnown = mapping.knows(name)
        isSource = mapping.isSecretDeclaration
        isBesideCredential = mapping.holdsCredentials
    }

    /// The place of an element of the list here.
    var element: ValuePlace {
        var place = ValuePlace(
            shape: shape.element,
            key: key,
            isKnown: isKnown,
            isBesideCredential: isBesideCredential
        )
        place.isSource = isSource
        return place
    }

    /// Whether the value is a credential, by the language or by the name that the job chose.
    var isCredential: Bool { shape.isCredential || SecretName.isOne(key) }

    /// Whether the value is one of some words.
    var isChoice: Bool {
        switch shape {
        case .choice, .oneOrMore(.choice), .list(.choice), .either(.choice, .boolean): true
        default: false
        }
    }

    /// Whether the place takes a capture under its name.
    var takesCapture: Bool {
        if case .mapping(let table) = shape {
            table.name == CaptureTable.table.keys.name
        } else {
            false
        }
    }

    /// Whether the place takes a mapping of settings without credentials.
    var takesSettings: Bool {
        shape.isMapping && !shape.isList && !shape.hasChosenNames && !shape.holdsCredentials
    }

    /// Whether the place takes a URL or the address of a proxy.
    var isURL: Bool { shape.isURL }

    /// Whether the values here have a form that no credential has, or are chosen from some.
    var isFixed: Bool { shape.isFixed }
}

extension Shape {
    /// The patterns of texts of a form that no credential has, and of the names of hosts and
    /// methods; a pattern that is not among them may fit a credential.
    private static let fixedPatterns: Set<String> = [
        BeginDateText.pattern, ByteRateText.pattern, ByteSizeText.pattern, ChecksumText.pattern,
        DailyWindowText.pattern, DatePattern.offsetPattern, DurationText.pattern,
        DurationText.positivePattern, FileModeText.pattern, HostKeyText.pattern,
        JSONPointer.pattern, LockPolicyText.pattern, MIMETypeText.pattern, MediaTypeText.pattern,
        MethodText.pattern, MethodText.uploadPattern, OriginType.hostPattern,
        PublicKeyPinText.pattern, RequestRateText.pattern, StatusText.codePattern,
        StatusText.pattern, StreamTaskTable.hostPattern,
    ]

    fileprivate var isFixed: Bool {
        switch self {
        case .boolean, .integer, .number, .choice: true
        case .text(let pattern, _): pattern.map(Self.fixedPatterns.contains) ?? false
        case .either(.mapping, let one), .either(let one, .mapping): one.isFixed
        case .either(let one, let other): one.isFixed && other.isFixed
        case .oneOrMore(let one), .list(let one), .nonEmptyList(let one), .tuple(let one, _):
            one.isFixed
        case .mapping, .variants, .credential, .named, .someNamed, .scalar, .anything: false
        }
    }
}
