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
