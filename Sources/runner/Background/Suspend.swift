import ArgumentParser
import SystemKit
import TransferModel

/// `runner suspend`: lets no run start transfers of a background session.
struct Suspend: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Suspend the transfers of a background session.",
        discussion: Examples.discussion(
            """
            Runs of the job defer the session's transfers, until `runner resume`. A run that uses the session stops its \
            transfers, keeps their progress, and goes on with its other sessions. The suspension outlasts a restart of \
            the machine. Exits with 2 for an unknown identifier, and with 4 when the suspension cannot be stored.
            """,
            Example("make room on the line for a while", "runner suspend nightly-mirror"),
            Example("let the next run continue", "runner resume nightly-mirror")
        )
    )

    @Argument(help: "The identifier of the background session.")
    var identifier: String

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        let folder = try state.folder.background()
        try folder.require(identifier)
        let isNew = try folder.suspend(identifier)
        var line = "\(TerminalText.harmless(identifier)): \(isNew ? "" : "already ")suspended"
        if isNew, case .process(let number)? = try folder.lock(of: identifier).holder {
            line += "; process \(number) stops its transfers"
        }
        try StandardOutput.write(line + "\n")
    }
}

/// `runner resume`: lets runs start transfers of a suspended background session again.
struct Resume: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let the next run continue the transfers of a suspended background session.",
        discussion: Examples.discussion(
            """
            Starts no run: the next one continues what earlier runs have left. Exits with 2 for an unknown identifier, \
            and with 4 when the suspension cannot be removed.
            """,
            Example("end a suspension", "runner resume nightly-mirror"),
            Example("and continue at once", "runner run --detach nightly.yaml")
        )
    )

    @Argument(help: "The identifier of the background session.")
    var identifier: String

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        let folder = try state.folder.background()
        try folder.require(identifier)
        let name = TerminalText.harmless(identifier)
        try StandardOutput.write(
            try folder.resume(identifier)
                ? "\(name): resumed; the next run continues its transfers\n"
                : "\(name): not suspended\n"
        )
    }
}
