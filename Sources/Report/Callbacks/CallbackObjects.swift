internal import TransferModel

/// An exchange, or a step of it, with the task that it belongs to.
struct CallbackExchange: TaskMention {
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
    fileprivate mutating func attempt() where Subject == Dated<CallbackExchange> {
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

    fileprivate mutating func received() where Subject == Dated<CallbackExchange> {
        attempt()
        integer("countOfBytesReceived", "The bytes of the body, as the task gets them") {
            $0.content.exchange.countOfResponseBodyBytesAfterDecoding
        }
    }
}

/// `urlSession(_:didCreateTask:)`.
enum TaskCreated: TaskEventObject {
    typealias Content = TaskProgress
    static let event: StaticString = "didCreateTask"
    static let description = "A task begins its first attempt"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.choice("type", "The section of the task in the job file") { $0.content.kind }
    }
}

/// `urlSession(_:taskIsWaitingForConnectivity:)`.
enum TaskAwaitsConnectivity: TaskEventObject {
    typealias Content = Retry
    static let event: StaticString = "taskIsWaitingForConnectivity"
    static let description = "A task waits for a permitted interface or for external power"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.object("error", "What is missing", EventFailure.self) { $0.content.failure }
    }
}

/// `urlSession(_:task:willPerformHTTPRedirection:newRequest:completionHandler:)`.
enum RedirectionCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "willPerformHTTPRedirection"
    static let description = "A task follows a redirect"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.attempt()
        members.status()
        members.string("method", "The method of the new request") {
            $0.content.exchange.request.method
        }
        members.foreignText("url", "The URL of the new request") { $0.content.exchange.request.url }
    }
}

/// `urlSession(_:task:didReceive:completionHandler:)`, a challenge.
enum ChallengeCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "didReceiveChallenge"
    static let description = "A server or proxy asks for credentials, and the task sends them"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.attempt()
        members.status()
        members.foreignText("url", "The URL of the request with the credentials") {
            $0.content.exchange.request.url
        }
    }
}

/// `urlSession(_:task:didReceiveInformationalResponse:)`.
enum InformationalCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "didReceiveInformationalResponse"
    static let description = "An informational response (1xx) has arrived"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.attempt()
        members.status()
    }
}

/// `urlSession(_:task:didSendBodyData:totalBytesSent:totalBytesExpectedToSend:)`.
enum SentBodyCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "didSendBodyData"
    static let description = "The body of a request was sent"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.attempt()
        members.integer("countOfBytesSent", "The bytes of the body, as the task gave them") {
            $0.content.exchange.countOfRequestBodyBytesBeforeEncoding
        }
    }
}

/// `urlSession(_:dataTask:didReceive:completionHandler:)`, a response.
enum ResponseCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "didReceiveResponse"
    static let description =
        "The head of a final response has arrived, not that of a followed redirect"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.attempt()
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
enum ReceivedDataCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "didReceiveData"
    static let description = "The body of a response has arrived, of any task but a download"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.received()
    }
}

/// `urlSession(_:downloadTask:didWriteData:totalBytesWritten:totalBytesExpectedToWrite:)`.
enum WrittenDataCallback: TaskEventObject {
    typealias Content = CallbackExchange
    static let event: StaticString = "didWriteData"
    static let description = "The body of a download's response has arrived"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.received()
    }
}

/// `urlSession(_:webSocketTask:didOpenWithProtocol:)`.
enum WebSocketOpening: TaskEventObject {
    typealias Content = TaskRecord
    static let event: StaticString = "didOpenWithProtocol"
    static let description = "The last attempt of a WebSocket task has opened its connection"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.optionalForeignText("protocol", "The server's subprotocol; null without one") {
            $0.content.conversation?.webSocket?.subprotocol
        }
    }
}

/// `urlSession(_:webSocketTask:didCloseWith:reason:)`.
enum WebSocketClosing: TaskEventObject {
    typealias Content = TaskRecord
    static let event: StaticString = "didCloseWith"
    static let description = "The connection of a WebSocket task has ended"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.optionalInteger("closeCode", "As URLSessionWebSocketTask.closeCode") {
            $0.content.conversation?.webSocket?.closeCode.map(Int64.init)
        }
    }
}

/// `urlSession(_:downloadTask:didFinishDownloadingTo:)`.
enum FinishedDownload: TaskEventObject {
    typealias Content = TaskRecord
    static let event: StaticString = "didFinishDownloadingTo"
    static let description = "A task has published its file"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
        members.optionalObject("file", "The file", PublishedFile.Report.self) { $0.content.file }
    }
}

/// `urlSession(_:task:didFinishCollecting:)`.
enum CollectedMetrics: TaskEventObject {
    typealias Content = TaskRecord
    static let event: StaticString = "didFinishCollectingMetrics"
    static let description =
        "The measurements of a task with an attempt; the report has all of them"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
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
enum Completion: TaskEventObject {
    typealias Content = TaskRecord
    static let event: StaticString = "didCompleteWithError"
    static let description = "The last event of each task, also of one that never began"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
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
enum CallbacksEnd: EventObject {
    typealias Content = RunSummary
    static let event: StaticString = "runFinished"
    static let description = "The last event: every task has ended"

    static func declareContent(in members: inout some ReportMembers<Subject> & ~Copyable) {
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
