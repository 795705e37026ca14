/// The place of a value in a job file, which decides how much of the value is shown.
struct ValuePlace {
    /// What the place accepts; anything, if the language does not know its key.
    let shape: Shape
    /// The key in front of it.
    let key: String
    /// Whether the key is one of the language, and not a name that the job chose.
    let isKnown: Bool
    /// Whether a credential may stand beside it, with which a slip exchanges the value.
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

    /// Whether a capture stands here under its name.
    var takesCapture: Bool {
        if case .mapping(let table) = shape {
            table.name == CaptureTable.table.keys.name
        } else {
            false
        }
    }

    /// Whether a mapping of settings stands here that hold no credential.
    var takesSettings: Bool {
        shape.isMapping && !shape.isList && !shape.hasChosenNames && !shape.holdsCredentials
    }

    /// Whether a URL or the address of a proxy stands here.
    var isURL: Bool { shape.isURL }

    /// Whether the values here have a form or are chosen from some; some servers of WebSockets take
    /// a token in the place of a subprotocol.
    var isFixed: Bool { shape.isFixed && key != "protocols" }
}

extension Shape {
    fileprivate var isFixed: Bool {
        switch self {
        case .boolean, .integer, .number, .choice: true
        case .text(let pattern): pattern != nil
        case .either(.mapping, let one), .either(let one, .mapping): one.isFixed
        case .either(let one, let other): one.isFixed && other.isFixed
        case .oneOrMore(let one), .list(let one), .nonEmptyList(let one), .tuple(let one, _):
            one.isFixed
        case .mapping, .variants, .credential, .named, .someNamed, .scalar, .anything: false
        }
    }
}
