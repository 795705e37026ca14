import TransferModel

/// Where `--report` sends the JSON report.
enum ReportChoice {
    /// To the path of the job file, or to the state folder.
    case byDefault
    /// To a path instead of that of the job file.
    case path(String)
    /// To its usual file, and to standard output as well.
    case standardOutput

    /// Reads the option, or else the environment.
    init(_ option: String?) throws(Exit) {
        switch option ?? EnvironmentOption.text("REPORT") {
        case nil: self = .byDefault
        case ""?: throw Exit(.usage, "--report is empty; give the path of the report")
        case "-"?: self = .standardOutput
        case let path?: self = .path(path)
        }
    }

    /// The chosen path; nil without one.
    var path: String? {
        if case .path(let path) = self { path } else { nil }
    }

    /// Whether standard output gets the report.
    var isPrinted: Bool {
        if case .standardOutput = self { true } else { false }
    }
}
