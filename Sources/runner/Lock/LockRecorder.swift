import Plan
import Report
import SystemKit
import TransferModel

/// Notes what the downloads of a run were, for a lock file.
///
/// Used on the scheduler's thread, and after the run.
final class LockRecorder: RunEventSink {
    private var downloads: [ByteText: LockedDownload] = [:]
    private var redactor: Redactor?

    /// Takes what finds the secrets of the run.
    func hide(with redactor: Redactor?) { self.redactor = redactor }

    /// The facts about a download of the run; nil when it has no whole file.
    subscript(id: String) -> LockedDownload? { downloads[ByteText(id)] }

    /// Notes a download that has ended with a new file.
    func receive(_ event: RunEvent) {
        guard case .taskFinished(let task) = event, task.record.kind == .download,
            task.record.outcome == .succeeded, let file = task.record.file,
            let sha256 = file.sha256
        else { return }
        let record = task.record
        let isOfMirror = record.isOfMirror
        downloads[ByteText(record.id)] = LockedDownload(
            finalURL: isOfMirror ? nil : withoutSecrets(record.finalURL),
            validator: isOfMirror ? nil : withoutSecrets(record.response?.lockValidator),
            size: file.size,
            sha256: sha256
        )
    }

    /// The text; nil when a part of it is secret.
    private func withoutSecrets(_ text: String?) -> String? {
        text.flatMap { redactor?.firstSecret(in: $0) == nil ? $0 : nil }
    }
}

extension TaskRecord {
    /// Whether the last attempt went to a mirror.
    fileprivate var isOfMirror: Bool {
        let number = attempts.last?.number
        guard let first = transactions.first(where: { $0.attempt == number }) else { return false }
        return first.request.url != originalRequest.url
    }

    /// The URL of the response without its query; nil for a custom scheme.
    fileprivate var finalURL: String? {
        (try? TransferURL(currentRequest.url))?.withoutQuery
    }
}
