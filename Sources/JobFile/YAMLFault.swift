internal import Diagnostics

/// Problems of a job file that do not depend on its meaning; the raw values are the stable codes.
package enum YAMLFault: String, Sendable, CaseIterable {
    /// The file has no content.
    case empty = "yaml.empty"
    /// Bytes that are not UTF-8, or another Unicode encoding.
    case notUTF8 = "yaml.not-utf8"
    /// A character that YAML 1.2 §5.1 excludes.
    case controlCharacter = "yaml.control-character"
    /// More bytes or values than `DocumentLimits` allows.
    case tooLarge = "yaml.too-large"
    /// Deeper nesting than `DocumentLimits` allows, following aliases.
    case nesting = "yaml.nesting"
    /// An alias that expands the file to too many values.
    case aliasExpansion = "yaml.alias-expansion"
    /// An alias inside its own target.
    case recursiveAlias = "yaml.recursive-alias"
    /// An alias without an anchor before it.
    case undefinedAlias = "yaml.undefined-alias"
    /// A second document in the file.
    case multipleDocuments = "yaml.multiple-documents"
    /// A tab as indentation.
    case tabIndent = "yaml.tab-indent"
    /// Text that is not YAML.
    case syntax = "yaml.syntax"
    /// A duplicate key in a mapping.
    case duplicateKey = "yaml.duplicate-key"
    /// A key that is a sequence or a mapping.
    case keyNotScalar = "yaml.key-not-scalar"
    /// A `<<` whose value is neither a mapping nor a sequence of mappings.
    case badMerge = "yaml.bad-merge"
    /// An unknown or misplaced tag.
    case unsupportedTag = "yaml.unsupported-tag"
    /// A scalar whose text does not fit its tag.
    case tagMismatch = "yaml.tag-mismatch"
    /// Too many problems, so that the rest of the file was not read.
    case tooManyFaults = "yaml.too-many-faults"
}

extension Diagnostic {
    /// An error with one of this target's codes.
    init(
        _ fault: YAMLFault,
        _ message: String,
        at range: SourceRange,
        notes: [Note] = [],
        help: String? = nil
    ) {
        self.init(code: fault.rawValue, message, at: range, notes: notes, help: help)
    }
}
