internal import Diagnostics

/// Every code that a check of the document can report; stable, and the whole list.
package enum JobCode: String, Sendable, Hashable, CaseIterable {
    // Keys and shapes.
    case unknownKey = "job.unknown-key"
    case missingKey = "job.missing-key"
    case conflictingKeys = "job.conflicting-keys"
    case wrongType = "job.wrong-type"
    case unsupportedVersion = "job.unsupported-version"
    case noTasks = "job.no-tasks"
    case badInclude = "job.bad-include"

    // Values.
    case badValue = "job.bad-value"
    case badDuration = "job.bad-duration"
    case badRate = "job.bad-rate"
    case badSize = "job.bad-size"
    case outOfRange = "job.out-of-range"
    case badURL = "job.bad-url"
    case badProxy = "job.bad-proxy"
    case badMethod = "job.bad-method"
    case badHeader = "job.bad-header"
    case reservedHeader = "job.reserved-header"
    case unverifiedServer = "job.unverified-server"
    case plainHTTPCredentials = "job.plain-http-credentials"
    case badStatus = "job.bad-status"
    case badMIMEType = "job.bad-mime-type"
    case badChecksum = "job.bad-checksum"
    case badTimestamp = "job.bad-timestamp"
    case badPath = "job.bad-path"
    case pathEscape = "job.path-escape"
    case badJSON = "job.bad-json"
    case notRepeatable = "job.not-repeatable"
    case orderOfRun = "job.order-of-run"
    case repeatedKey = "job.repeated-key"
    case constantKey = "job.constant-key"
    case badPointer = "job.bad-pointer"
    case badPattern = "job.bad-pattern"
    case fileNameAsBody = "job.file-name-as-body"
    case quotedJSON = "job.quoted-json"

    // Expressions.
    case badExpression = "job.bad-expression"
    case unknownVariable = "job.unknown-variable"
    case unusedVariable = "job.unused-variable"
    case suspiciousPlaceholder = "job.suspicious-placeholder"
    case variableCycle = "job.variable-cycle"
    case unknownField = "job.unknown-field"
    case misplacedCapture = "job.misplaced-capture"
    case leavesURLPart = "job.url-part"
    case rawInURL = "job.raw-value"

    // Secrets.
    case unknownSecret = "job.unknown-secret"
    case secretMisplaced = "job.secret-misplaced"
    case secretInPath = "job.secret-in-path"
    case secretExposed = "job.secret-exposed"
    case secretInURL = "job.secret-in-url"
    case secretOverPlainHTTP = "job.secret-over-plain-http"
    case openCredential = "job.open-credential"
    case secretToOtherOrigin = "job.secret-to-other-origin"

    // Between tasks.
    case badID = "job.bad-id"
    case duplicateID = "job.duplicate-id"
    case duplicateKey = "job.duplicate-key"
    case duplicateIdentifier = "job.duplicate-identifier"
    case notInBackground = "job.not-in-background"
    case backgroundOnly = "job.background-only"
    case unknownTask = "job.unknown-task"
    case unknownSession = "job.unknown-session"
    case sessionRequired = "job.session-required"
    case needsCycle = "job.needs-cycle"
    case unknownCapture = "job.unknown-capture"
    case missingNeed = "job.missing-need"
    case constantCondition = "job.constant-condition"
    case duplicateDestination = "job.duplicate-destination"
    case tooManyFaults = "job.too-many-faults"

    // Data files.
    case badRow = "job.bad-row"
    case skippedFiles = "job.skipped-files"

    // The environment: the job file may be valid nevertheless.
    case missingVariable = "job.missing-variable"
    case missingFile = "job.missing-file"
    case unreadableFile = "job.unreadable-file"
    case missingSecret = "job.missing-secret"
    case missingLibrary = "job.missing-library"

    /// Whether the fault lies around the job file and not in it.
    package var isEnvironment: Bool {
        switch self {
        case .missingVariable, .missingFile, .unreadableFile, .missingSecret, .missingLibrary: true
        default: false
        }
    }

    /// Whether a part of the job that could not be read may have what the fault misses.
    var mayBeOfMissingPart: Bool {
        switch self {
        case .unknownTask, .unknownSession, .unknownVariable, .unusedVariable, .unknownSecret,
            .unknownCapture, .missingNeed, .noTasks:
            true
        default: false
        }
    }
}

extension Diagnostic {
    /// A fault with a code of this list.
    init(
        _ severity: Severity = .error,
        _ code: JobCode,
        _ message: String,
        at range: SourceRange,
        notes: [Note] = [],
        help: String? = nil,
        generalHelp: String? = nil,
        fixIt: FixIt? = nil
    ) {
        self.init(
            severity,
            code: code.rawValue,
            message,
            at: range,
            notes: notes,
            help: help,
            generalHelp: generalHelp,
            fixIt: fixIt
        )
    }
}
