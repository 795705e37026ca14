package import TransferModel

/// A listener that shows a run while it runs.
package protocol ProgressListener: RunEventSink {
    /// The wanted interval of `progress` events; nil for none.
    var progressInterval: Duration? { get }
}
