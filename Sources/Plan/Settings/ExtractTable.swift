internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// `extract`: the folder for the content of a downloaded archive.
enum ExtractTable {
    /// An `extract` mapping while it is read.
    struct Draft: Sendable {
        var folder: PathValue?
        /// Nil when the job file does not say it.
        var ifExists: IfExists?
        var stripComponents = 0
        var limits = ArchiveLimits(size: 8 << 30, entries: 500_000, ratio: 200)

        var replacement: ArchiveFolder.Replacement {
            switch ifExists {
            case nil: .own
            case .fail: .none
            case .replace: .any
            }
        }
    }

    /// The treatment of a folder that exists.
    enum IfExists: String, Sendable, Hashable, CaseIterable {
        case fail
        case replace
    }

    static let table = SettingTable<Draft>(
        "extract",
        [
            Setting(
                "to",
                ValueType(.text(pattern: nil, example: "folder/")) { PathType.folder($1, &$0) },
                isRequired: true,
                "The folder for the content of the archive, relative to the job file's folder."
            ) { $0.folder = $1 },
            Setting(
                "ifExists",
                .choice(),
                default: .words("replaces only what an earlier run extracted"),
                "What to do when the folder exists and is not empty: `replace` removes it with all "
                    + "that is in it; without this key only a folder in which nothing was added or "
                    + "changed."
            ) { $0.ifExists = $1 },
            Setting(
                "stripComponents",
                .integer(0...ArchiveTree.deepest),
                default: "0",
                "How many folders to remove from the front of each path; entries with fewer are "
                    + "skipped."
            ) { $0.stripComponents = $1 },
            Setting(
                "maximumSize",
                ByteSizeText.type,
                default: "8GiB",
                "The most bytes of all files together."
            ) { $0.limits.size = $1 },
            Setting(
                "maximumEntries",
                .integer(1...100_000_000),
                default: "500000",
                "The most entries of the archive."
            ) { $0.limits.entries = $1 },
            Setting(
                "maximumRatio",
                .integer(1...1_000_000),
                default: "200",
                "The most bytes of all files for each byte of the archive, unless the files have "
                    + "at most 64MiB."
            ) { $0.limits.ratio = $1 },
        ],
        shortForm: "to"
    )

    static let type = ValueType<Draft>(.mapping(table.keys)) { reader, field in
        var draft = Draft()
        reader.apply(table, to: &draft, in: field)
        return draft.folder == nil ? nil : draft
    }
}

extension ArchiveFolder {
    /// The folder of a download whose `extract` was read completely; nil without one.
    convenience init?(_ draft: ExtractTable.Draft?) {
        guard let draft, let folder = draft.folder else { return nil }
        self.init(
            path: folder.path,
            displayPath: folder.text,
            replacement: draft.replacement,
            stripComponents: draft.stripComponents,
            limits: draft.limits,
            isNamedByPeer: folder.isOfPeer
        )
    }
}
