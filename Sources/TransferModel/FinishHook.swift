/// A program to run when all tasks have ended and the report is written.
package struct FinishHook: Sendable, Hashable {
    /// The key of the job file that names the program.
    package enum Event: String, Sendable, Hashable {
        case onFinish
        /// Only after a run whose exit code is not 0.
        case onFailure
    }

    /// When the program runs.
    package var event: Event
    /// The program and its arguments, run without a shell.
    package var arguments: [String]
    /// The program's time limit.
    package var timeout: Duration

    /// Creates a hook; `arguments` begins with the program.
    package init(_ event: Event, arguments: [String], timeout: Duration) {
        self.event = event
        self.arguments = arguments
        self.timeout = timeout
    }
}

/// A server that gets a summary of the run when all tasks have ended and the report is written.
package struct Webhook: Sendable, Hashable {
    /// The runs after which the server gets a summary.
    package enum Condition: String, Sendable, Hashable, CaseIterable {
        /// Runs whose exit code is not 0.
        case failure
        case always
    }

    /// Where the summary is posted.
    package var url: TransferURL
    /// Fields of the request, without the fields of its body.
    package var headers: [HeaderField]
    /// When the server gets a summary.
    package var condition: Condition
    /// The time limit of all attempts together.
    package var timeout: Duration
    /// Whether the URL or the fields hold secrets, so that the webhook of a run that could not read
    /// them has stand-ins.
    package var hasSecrets: Bool

    /// Creates a webhook.
    package init(
        url: TransferURL,
        headers: [HeaderField],
        condition: Condition,
        timeout: Duration,
        hasSecrets: Bool
    ) {
        self.url = url
        self.headers = headers
        self.condition = condition
        self.timeout = timeout
        self.hasSecrets = hasSecrets
    }

    /// Whether a run that ends with an exit code causes a summary.
    package func isDue(exitCode: Int32) -> Bool { condition == .always || exitCode != 0 }
}
