import SystemKit
import TransferModel

/// Starts the programs that check signatures.
enum ProgramExamination {
    /// How long a program may take to tell its version.
    private static let patience: Int64 = 5_000_000_000

    /// The findings about all programs.
    static func examine() -> Examination {
        Examination(
            name: "programs",
            findings: DetachedSignature.Program.allCases.map { program in
                Finding(
                    program.rawValue,
                    version(of: program),
                    "checks the signatures of downloads with `program: \(program.rawValue)`",
                    without: "downloads with `program: \(program.rawValue)` in `signature` fail: "
                        + "install the package \(program.rawValue)"
                )
            }
        )
    }

    /// The first line that a program writes about itself; nil when it cannot be started.
    private static func version(of program: DetachedSignature.Program) -> String? {
        let option =
            switch program {
            case .minisign: "-v"
            case .gpgv: "--version"
            }
        guard let process = try? ChildProcess([program.rawValue, option], in: "/"),
            let captured = try? process.capture(
                limit: 64 << 10,
                until: Clock.monotonicNanoseconds() + patience
            ), captured.outcome == .ended(.exited(0))
        else { return nil }
        let line = String(decoding: captured.output.prefix { $0 != 10 }, as: UTF8.self)
        return line.onOneLine(limit: 100).text
    }
}
