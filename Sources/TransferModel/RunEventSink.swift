/// A listener of a run: a report, a progress display.
///
/// Called on the scheduler's thread only, one event at a time, in order.
package protocol RunEventSink: AnyObject {
    func receive(_ event: RunEvent)
}
