import Report
import SystemKit

/// A document on standard output.
final class PrintedReport: ReportFile {
    func write(_ bytes: Span<UInt8>) throws(SystemError) { try StandardOutput.write(bytes) }

    /// The text has left already.
    func publish() throws(SystemError) {}
}
