internal import SystemKit

/// The replacement for a libyaml message.
///
/// The known messages are those of libyaml 0.2.5's `scanner.c` and `parser.c`; others are shown
/// unchanged.
struct SyntaxWording {
    let message: String
    var help: String?
    /// The note at the start of the surrounding construct.
    var note: String?
    /// Whether the problem is at that start, not where libyaml noticed it.
    var isAboutContext = false

    /// Rewords an error; `found` is the scalar at its position, nil at the end of a line.
    init(_ problem: String, context: String?, found: Unicode.Scalar?, isAtEnd: Bool) {
        let surrounding = context.flatMap { Self.surroundings[$0] }
        if let reworded = Self.wordings[problem] {
            self = reworded
            note = surrounding
        } else {
            self.init(problem, note: surrounding)
        }
        switch problem {
        case "found character that cannot start any token":
            let character = found.map { "`\($0)`" } ?? "this"
            self.init("a value cannot start with \(character)", help: "put the value in quotes")
        case "did not find expected ',' or ']'" where isAtEnd:
            self.init("this `[` is never closed", isAboutContext: true)
        case "did not find expected ',' or '}'" where isAtEnd:
            self.init("this `{` is never closed", isAboutContext: true)
        case "did not find expected ',' or ']'" where found == "{",
            "did not find expected ',' or '}'" where found == "{":
            help = "within brackets and braces put `${…}` in quotes"
        case "did not find expected comment or line break" where context == Self.blockScalar:
            self.init(
                "the text of a `|` or `>` block starts on the next line",
                help: "put the value in quotes if it starts with `|` or `>`"
            )
        case _ where context == "while scanning a tag" || context == "while parsing a tag":
            self.init("this is not a tag", help: "put a value that starts with `!` in quotes")
        case _ where context?.hasByteSuffix("directive") ?? false:
            self.init("this directive cannot be read", help: "a job file needs no `%` lines")
        default:
            break
        }
    }

    private init(
        _ message: String,
        help: String? = nil,
        note: String? = nil,
        isAboutContext: Bool = false
    ) {
        self.message = message
        self.help = help
        self.note = note
        self.isAboutContext = isAboutContext
    }

    private static let blockScalar = "while scanning a block scalar"

    private static let surroundings = [
        "while parsing a block mapping": "the mapping starts here",
        "while parsing a block collection": "the sequence starts here",
        "while parsing a flow mapping": "the mapping starts here",
        "while parsing a flow sequence": "the sequence starts here",
        "while parsing a quoted scalar": "the quoted text starts here",
        "while scanning a quoted scalar": "the quoted text starts here",
        "while scanning a plain scalar": "the text starts here",
        blockScalar: "the block starts here",
    ]

    private static let wordings = [
        "could not find expected ':'": SyntaxWording(
            "expected a `:` after this key",
            help: "write `key: value`, the key on one line",
            isAboutContext: true
        ),
        "mapping values are not allowed in this context": SyntaxWording(
            "a `:` is not allowed here",
            help: "put a value that contains `: ` in quotes; a nested key needs a line of its own"
        ),
        "mapping keys are not allowed in this context": SyntaxWording(
            "a key is not allowed here",
            help: "put a value that starts with `? ` in quotes"
        ),
        "block sequence entries are not allowed in this context": SyntaxWording(
            "a `- ` item cannot start here",
            help: "start the sequence on a line of its own"
        ),
        "did not find expected key": SyntaxWording(
            "expected a key of the mapping, or its end",
            help: "all keys of one mapping start in the same column"
        ),
        "did not find expected '-' indicator": SyntaxWording(
            "expected a `- ` item of the sequence, or its end",
            help: "all items of one sequence start in the same column"
        ),
        "did not find expected ',' or ']'": SyntaxWording("expected a `,` or `]`"),
        "did not find expected ',' or '}'": SyntaxWording("expected a `,` or `}`"),
        "did not find expected node content": SyntaxWording("expected a value"),
        "found unexpected end of stream": SyntaxWording(
            "this quote is never closed",
            isAboutContext: true
        ),
        "found unexpected document indicator": SyntaxWording(
            "a line of quoted text cannot start with `---` or `...`"
        ),
        "found unknown escape character": SyntaxWording(
            "this is not an escape",
            help: "write `\\\\` for a backslash, or use single quotes"
        ),
        "did not find expected hexdecimal number": SyntaxWording(
            "this escape needs hexadecimal digits: `\\x41`, `\\u0041` or `\\U00000041`"
        ),
        "found invalid Unicode character escape code": SyntaxWording(
            "this escape is not a Unicode character"
        ),
        "did not find expected alphabetic or numeric character": SyntaxWording(
            "expected a name of letters, digits, `-` and `_`",
            help: "put a value that starts with `*` or `&` in quotes"
        ),
        "found undefined tag handle": SyntaxWording(
            "this is not a tag",
            help: "put a value that starts with `!` in quotes"
        ),
        "found an indentation indicator equal to 0": SyntaxWording(
            "the indentation of a block is a digit from 1 to 9"
        ),
        "did not find expected <document start>": SyntaxWording(
            "expected the end of the file",
            help: "the document ends before this; check the indentation"
        ),
        "found incompatible YAML document": SyntaxWording("only YAML 1.1 and 1.2 can be read"),
        "found unexpected ':'": SyntaxWording("a `:` is not allowed here"),
    ]
}
