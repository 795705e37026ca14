internal import Diagnostics

/// What can be wrong with a job file before it is known what it says; the raw values are the stable
/// codes.
package enum YAMLFault: String, Sendable, CaseIterable {
    /// The file has no content.
    case empty = "yaml.empty"
    /// Bytes that are not UTF-8, or another Unicode encoding.
    case notUTF8 = "yaml.not-utf8"
    /// A character that YAML 1.2 §5.1 excludes.
    case controlCharacter = "yaml.control-character"
    /// More bytes or values than `DocumentLimits` has.
    case tooLarge = "yaml.too-large"
    /// More nested collections than `DocumentLimits` has, aliases followed.
    case nesting = "yaml.nesting"
    /// An alias with which the file stands for too many values.
    case aliasExpansion = "yaml.alias-expansion"
    /// An alias inside of what it means.
    case recursiveAlias = "yaml.recursive-alias"
    /// An alias without an anchor before it.
    case undefinedAlias = "yaml.undefined-alias"
    /// A second document in the file.
    case multipleDocuments = "yaml.multiple-documents"
    /// Indentation by a tab.
    case tabIndent = "yaml.tab-indent"
    /// Text that is not YAML.
    case syntax = "yaml.syntax"
    /// A key that stands twice in its mapping.
    case duplicateKey = "yaml.duplicate-key"
    /// A key that is a sequence or a mapping.
    case keyNotScalar = "yaml.key-not-scalar"
    /// A `<<` whose value is neither a mapping nor a sequence of mappings.
    case badMerge = "yaml.bad-merge"
    /// A tag that the language does not have, or not there.
    case unsupportedTag = "yaml.unsupported-tag"
    /// A scalar whose text is not what its tag says.
    case tagMismatch = "yaml.tag-mismatch"
    /// So many faults that the rest of the file was not read.
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
