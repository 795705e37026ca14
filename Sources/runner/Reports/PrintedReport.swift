import Report
import SystemKit

/// A document on standard output.
final class PrintedReport: ReportFile {
    func write(_ bytes: Span<UInt8>) throws(SystemError) {
        guard try StandardOutput.write(bytes) else { throw StandardOutput.lostReader }
    }

    /// The text has left already.
    func publish() throws(SystemError) {}
}
