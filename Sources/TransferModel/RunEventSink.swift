/// A listener to a run's events, such as a report or a progress display.
///
/// Called on the scheduler's thread only, one event at a time, in order.
package protocol RunEventSink: AnyObject {
    func receive(_ event: RunEvent)
}
