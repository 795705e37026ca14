/// The place of a value in a job file, which decides how much of the value is shown.
struct ValuePlace {
    /// What the place accepts; anything, if the language does not know its key.
    let shape: Shape
    /// The key in front of it.
    let key: String
    /// Whether the key is one of the language, and not a name that the job chose.
    var isKnown = false
    /// Whether the key is probably a misspelled one of the language.
    var isGuess = false
    /// Whether a credential may stand beside it, with which a slip exchanges the value.
    var isBesideCredential = false
    /// Whether its text is one for readers: a description, or a field of a request that every
    /// client sends.
    var isText = false
    /// Whether it is the part of a form that has the name of a secret.
    var isSecretPart = false

    /// A place in free space.
    static let unknown = ValuePlace(shape: .anything, key: "")

    /// The keys whose values are lists of a program and its arguments.
    private static let commands: Set<String> = ["command", "onFailure", "onFinish"]
    /// The keys whose values are texts for readers.
    private static let texts: Set<String> = ["description", "sessionDescription"]

    /// A place with a known shape.
    init(shape: Shape, key: String, isKnown: Bool = false) {
        self.shape = shape
        self.key = key
        self.isKnown = isKnown
        isText = isKnown && Self.texts.contains(key)
    }

    /// The place under a key of a mapping with the shape.
    init(of name: String, in mapping: Shape) {
        if mapping.isAnything, name == "fromFile" {
            // A body that is made of a file: any body may have such a member.
            self.init(shape: .text(pattern: nil), key: name, isKnown: true)
            isGuess = true
        } else if let known = mapping.value(of: name) {
            self.init(shape: known, key: name, isKnown: mapping.knows(name))
        } else if let near = mapping.nearestKey(to: name), let known = mapping.value(of: near) {
            self.init(shape: known, key: near, isKnown: true)
            isGuess = true
        } else {
            self.init(shape: .anything, key: name)
        }
        isBesideCredential = mapping.holdsCredentials && !mapping.isSecretDeclaration
    }

    /// The place of an element of the list here.
    var element: ValuePlace {
        var place = ValuePlace(shape: shape.element, key: key, isKnown: isKnown)
        place.isGuess = isGuess
        place.isBesideCredential = isBesideCredential
        return place
    }

    /// Whether a program and its arguments stand here.
    var isCommand: Bool { isKnown && Self.commands.contains(key) && shape.isList }

    /// Whether a URL stands here.
    var isURL: Bool {
        switch shape {
        case .text(pattern: URLText.pattern), .text(pattern: URLText.taskPattern),
            .text(pattern: WebSocketURLText.pattern):
            isKnown
        default: false
        }
    }

    /// Whether all texts here are shown, whatever expressions are in them.
    var isPublic: Bool {
        if isText { return true }
        return isKnown && !isBesideCredential && !shape.isCredential && !SecretName.isOne(key)
            && PublicValues.hasPublicTexts(shape, behind: key)
    }

    /// The bytes at the beginning of a text here which are shown.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - mayBeLogin: Whether a login may begin in the value and end in it or behind it.
    /// - Returns: A number of bytes; 0 for a value that is hidden.
    func shownLength(of text: ArraySlice<UInt8>, mayBeLogin: Bool? = nil) -> Int {
        // Only what has the form of a path, a host or a URL is one.
        let isWord = !text.contains(UInt8(ascii: "/")) && !text.contains(UInt8(ascii: "."))
        let isGuess = isWord && (isGuess || isBesideCredential)
        return PublicValues.length(
            ofValue: text,
            of: isGuess && !shape.isCredential ? .anything : shape,
            behind: key,
            isKnown: isKnown && !isGuess,
            mayBeLogin: mayBeLogin ?? text.contains(UInt8(ascii: "@"))
        )
    }
}
