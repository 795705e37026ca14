internal import TransferModel

/// An exchange, or a step of it, with the task that it belongs to.
struct CallbackExchange {
    var id: String
    var exchange: TransactionMetrics
    /// The status that the callback is about; nil without a response.
    var statusCode: Int?

    init(_ id: String, _ exchange: TransactionMetrics, statusCode: Int? = nil) {
        self.id = id
        self.exchange = exchange
        self.statusCode = statusCode ?? exchange.response.map { Int($0.statusCode) }
    }
}

extension ReportMembers where Self: ~Copyable {
    /// The members of all callbacks about an exchange.
    fileprivate mutating func exchange(_ name: StaticString)
    where Subject == Dated<CallbackExchange> {
        event(name)
        string("id", "The task's id in the job file") { $0.content.id }
        integer("attempt", "The attempt of the exchange, from 1") {
            Int64($0.content.exchange.attempt)
        }
    }

    fileprivate mutating func status() where Subject == Dated<CallbackExchange> {
        optionalInteger(
            "statusCode",
            "The status of the response; null without one",
            .integer(0...999)
        ) { $0.content.statusCode.map(Int64.init) }
    }

    fileprivate mutating func received(_ name: StaticString)
    where Subject == Dated<CallbackExchange> {
        exchange(name)
        integer("countOfBytesReceived", "The bytes of the body, as the task gets them") {
            $0.content.exchange.countOfResponseBodyBytesAfterDecoding
        }
    }
}

/// `urlSession(_:didCreateTask:)`.
enum TaskCreated: ReportObject {
    typealias Subject = Dated<TaskProgress>
    static let name = "didCreateTask"
    static let description = "A task begins its first attempt"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("didCreateTask")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.choice("type", "The section of the task in the job file") { $0.content.kind }
    }
}

/// `urlSession(_:taskIsWaitingForConnectivity:)`.
enum TaskAwaitsConnectivity: ReportObject {
    typealias Subject = Dated<Retry>
    static let name = "taskIsWaitingForConnectivity"
    static let description = "A task waits for a permitted interface or for external power"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("taskIsWaitingForConnectivity")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.object("error", "What is missing", EventFailure.self) { $0.content.failure }
    }
}

/// `urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)`.
enum RedirectionCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "willPerformHTTPRedirection"
    static let description = "A task follows a redirect"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.exchange("willPerformHTTPRedirection")
        members.status()
        members.string("method", "The method of the new request") {
            $0.content.exchange.request.method
        }
        members.foreignText("url", "The URL of the new request") { $0.content.exchange.request.url }
    }
}

/// `urlSession(_:task:didReceive:completionHandler:)`, a challenge.
enum ChallengeCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "didReceiveChallenge"
    static let description = "A server or proxy asks for credentials, and the task sends them"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.exchange("didReceiveChallenge")
        members.status()
        members.foreignText("url", "The URL of the request with the credentials") {
            $0.content.exchange.request.url
        }
    }
}

/// `urlSession(_:task:didReceiveInformationalResponse:)`.
enum InformationalCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "didReceiveInformationalResponse"
    static let description = "An informational response (1xx) has arrived"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.exchange("didReceiveInformationalResponse")
        members.status()
    }
}

/// `urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)`.
enum SentBodyCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "didSendBodyData"
    static let description = "The body of a request was sent"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.exchange("didSendBodyData")
        members.integer("countOfBytesSent", "The bytes of the body, as the task gave them") {
            $0.content.exchange.countOfRequestBodyBytesBeforeEncoding
        }
    }
}

/// `urlSession(_:dataTask:didReceive:completionHandler:)`, a response.
enum ResponseCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "didReceiveResponse"
    static let description =
        "The head of a final response has arrived, not that of a followed redirect"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.exchange("didReceiveResponse")
        members.status()
        members.optionalForeignText("mimeType", "The media type; null without one") {
            $0.content.exchange.response?.mimeType
        }
        members.foreignText("url", "The URL of the request") { $0.content.exchange.request.url }
        members.choice("resourceFetchType", "The source of the response") {
            $0.content.exchange.resourceFetchType
        }
    }
}

/// `urlSession(_:dataTask:didReceive:)`.
enum ReceivedDataCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "didReceiveData"
    static let description = "The body of a response has arrived, of any task but a download"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.received("didReceiveData")
    }
}

/// `urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)`.
enum WrittenDataCallback: ReportObject {
    typealias Subject = Dated<CallbackExchange>
    static let name = "didWriteData"
    static let description = "The body of a download's response has arrived"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.received("didWriteData")
    }
}

/// `urlSession(_:webSocketTask:didOpenWithProtocol:)`.
enum WebSocketOpening: ReportObject {
    typealias Subject = Dated<TaskRecord>
    static let name = "didOpenWithProtocol"
    static let description = "The last attempt of a WebSocket task has opened its connection"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("didOpenWithProtocol")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.optionalForeignText("protocol", "The server's subprotocol; null without one") {
            $0.content.conversation?.webSocket?.subprotocol
        }
    }
}

/// `urlSession(_:webSocketTask:didCloseWith:reason:)`.
enum WebSocketClosing: ReportObject {
    typealias Subject = Dated<TaskRecord>
    static let name = "didCloseWith"
    static let description = "The connection of a WebSocket task has ended"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("didCloseWith")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.optionalInteger("closeCode", "As URLSessionWebSocketTask.closeCode") {
            $0.content.conversation?.webSocket?.closeCode.map(Int64.init)
        }
    }
}

/// `urlSession(_:downloadTask:didFinishDownloadingTo:)`.
enum FinishedDownload: ReportObject {
    typealias Subject = Dated<TaskRecord>
    static let name = "didFinishDownloadingTo"
    static let description = "A task has published its file"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("didFinishDownloadingTo")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.optionalObject("file", "The file", PublishedFile.Report.self) { $0.content.file }
    }
}

/// `urlSession(_:task:didFinishCollecting:)`.
enum CollectedMetrics: ReportObject {
    typealias Subject = Dated<TaskRecord>
    static let name = "didFinishCollectingMetrics"
    static let description =
        "The measurements of a task with an attempt; the report has all of them"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("didFinishCollectingMetrics")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.integer("durationUs", "From the task's creation to its end, microseconds") {
            max(0, $0.content.endDate.microseconds(since: $0.content.startDate))
        }
        members.integer("redirectCount", "Followed redirects, all attempts together") {
            Int64($0.content.redirectCount)
        }
        members.integer("attempts", "The number of attempts") { Int64($0.content.attemptCount) }
    }
}

/// `urlSession(_:task:didCompleteWithError:)`.
enum Completion: ReportObject {
    typealias Subject = Dated<TaskRecord>
    static let name = "didCompleteWithError"
    static let description = "The last event of each task, also of one that never began"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("didCompleteWithError")
        members.string("id", "The task's id in the job file") { $0.content.id }
        members.choice("outcome", "How the task ended") { $0.content.outcome }
        members.integer("countOfBytesSent", "Body bytes sent") { $0.content.countOfBytesSent }
        members.integer("countOfBytesReceived", "Body bytes received") {
            $0.content.countOfBytesReceived
        }
        members.optionalObject(
            "error",
            "Why the task did not succeed; null if it did",
            EventFailure.self
        ) { $0.content.error }
    }
}

/// The end of a run in the file of its callbacks.
enum CallbacksEnd: ReportObject {
    typealias Subject = Dated<RunSummary>
    static let name = "runFinished"
    static let description = "The last event: every task has ended"

    static func declare(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.event("runFinished")
        members.object("summary", "The sums over the tasks", RunSummary.Report.self) {
            $0.content
        }
    }
}

/// The JSON Schema (draft-07) of a line of `CallbackLines`, made from the declarations that write
/// it.
package enum CallbackSchema {
    /// The events in the file of a job file's `report.events`.
    private static let events: [ObjectSchema] = [
        RunBegins.schema, TaskCreated.schema, TaskAwaitsConnectivity.schema,
        InformationalCallback.schema, SentBodyCallback.schema, RedirectionCallback.schema,
        ChallengeCallback.schema, ResponseCallback.schema, ReceivedDataCallback.schema,
        WrittenDataCallback.schema, TaskRetries.schema, WebSocketOpening.schema,
        WebSocketClosing.schema, FinishedDownload.schema, CollectedMetrics.schema,
        Completion.schema, RunStops.schema, CallbacksEnd.schema,
    ]

    /// The schema of `report.events` as indented JSON with a final line feed.
    package static var text: String {
        EventSchema.document(
            title: "runner report events",
            "An event of a run, a line of the file of `report.events`",
            events
        )
    }
}
