package import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// How a run uses a lock file.
package enum PlanLock: Sendable {
    /// The run writes a lock file.
    case making
    /// The run fetches only the files in the lock file.
    case obeying(LockFile)
}

extension Plan {
    /// The same plan whose downloads make or obey a lock file; no other task changes.
    package func with(_ lock: PlanLock) -> Plan {
        var plan = self
        plan.lock = lock
        return plan
    }

    /// The ids of the downloads in the job file; all tasks of a `forEach` share one id.
    package var downloadIDs: [String] {
        source.tasks.entries.lazy.filter { $0.kind == .download }
            .map { source.reader.document.text(of: $0.key) }
    }

    /// Whether the job has no other tasks than downloads.
    package var hasOnlyDownloads: Bool {
        source.tasks.entries.allSatisfy { $0.kind == .download }
    }

    /// Calls `body` with the job file's settings of each download, in file order.
    package func forEachDeclaredDownload(_ body: (DeclaredDownload) -> Void) {
        source.forEachDraft {
            $0 == .download
        } _: { index, draft in
            let entry = source.tasks.entry(of: index)
            let document = source.reader.document
            body(DeclaredDownload(draft, id: id(of: index), entry, in: document))
        }
    }

    /// A task as a run with a lock file has it.
    func applyingLock(to task: TaskSpec) throws(PlanRejected) -> TaskSpec {
        guard let lock, task.kind == .download, let destination = task.destination else {
            return task
        }
        switch lock {
        case .making: return task.with(destination.beingLocked)
        case .obeying(let file):
            guard let locked = file[task.id]?.locked,
                let checksum = try? ChecksumText.parse("sha256:\(locked.sha256)")
            else {
                let place = SourcePosition(line: task.source.line, column: task.source.column)
                throw PlanRejected(diagnostics: [missing(task.id, at: SourceRange(place), .error)])
            }
            return task.with(destination.obeying(locked, checksum))
        }
    }

    /// The most differences that are listed.
    private static let mostDifferences = 100

    /// The downloads of the job that are not in the lock file, or not as the job file has them.
    package func differences(
        from lock: LockFile,
        _ severity: Diagnostic.Severity
    ) -> [Diagnostic] {
        var found: [Diagnostic] = []
        let document = source.reader.document
        source.forEachDraft {
            $0 == .download
        } _: { index, draft in
            guard found.count < Self.mostDifferences else { return }
            let entry = source.tasks.entry(of: index)
            let own = DeclaredDownload(draft, id: id(of: index), entry, in: document)
            guard let locked = lock[own.id] else {
                found.append(missing(own.id, at: document.range(of: entry.key), severity))
                return
            }
            for (key, value, other) in own.differences(from: locked.declared) {
                let place = document.value(of: entry.value, for: key)?.value ?? entry.key
                found.append(
                    difference(
                        "`\(key)` of `\(own.id)` is \(Self.quoted(value)), the lock file has "
                            + Self.quoted(other),
                        own.id,
                        at: document.range(of: place),
                        severity
                    )
                )
            }
            if case .digest(let checksum)? = draft.checksum, checksum.algorithm == .sha256,
                let text = own.checksum, text != "sha256:\(locked.locked.sha256)"
            {
                let place = document.value(of: entry.value, for: "checksum")?.value ?? entry.key
                found.append(
                    difference(
                        "`checksum` of `\(own.id)` is not the `sha256` of the lock file",
                        own.id,
                        at: document.range(of: place),
                        severity
                    )
                )
            }
        }
        return found
    }

    /// Warnings about the downloads of a lock file that the job does not have, at their lines.
    package func surplus(of lock: LockFile, in text: SourceText) -> [Diagnostic] {
        var ids: Set<ByteText> = []
        for task in 0..<taskCount where kind(of: task) == .download {
            ids.insert(ByteText(id(of: task)))
        }
        return lock.entries.lazy.filter { !ids.contains($0.key) }.map(\.value)
            .sorted { $0.offset < $1.offset }
            .prefix(Self.mostDifferences)
            .map { entry in
                Diagnostic(
                    .warning,
                    code: LockCode.differs.rawValue,
                    "the job has no download `\(entry.declared.id)`",
                    at: SourceRange(text.position(at: entry.offset)),
                    help: "`runner lock \(fileName)` removes it"
                )
            }
    }

    private func missing(
        _ id: String,
        at place: SourceRange,
        _ severity: Diagnostic.Severity
    ) -> Diagnostic {
        difference("`\(id)` is not in the lock file", id, at: place, severity)
    }

    private func difference(
        _ message: String,
        _ id: String,
        at place: SourceRange,
        _ severity: Diagnostic.Severity
    ) -> Diagnostic {
        Diagnostic(
            severity,
            code: LockCode.differs.rawValue,
            message,
            at: place,
            help: "`runner lock \(fileName) --update \(DeclaredDownload.taskID(of: id))` locks it "
                + "as it is now"
        )
    }

    private static func quoted(_ value: String) -> String {
        value.isEmpty ? "none" : "`\(value.excerpt)`"
    }
}
