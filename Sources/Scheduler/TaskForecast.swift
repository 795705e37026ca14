package import SystemKit
package import Transfer
package import TransferModel

/// The action that a run would take for a task here and now.
///
/// It is found from the job and the file system alone: nothing is sent, and caches of HTTP and
/// journals of background sessions are not looked at.
package enum TaskForecast: Sendable, Hashable {
    /// The request changes the server, or may: an upload, or another method than GET.
    case send(method: String)
    /// The response is fetched.
    case fetch(File)
    /// The rest of a file is fetched.
    case resume(count: Int64, of: Int64)
    /// The server is asked whether the file has changed.
    case revalidate
    /// A conversation is held.
    case connect
    /// Nothing is requested: the file is there.
    case keep(isVerified: Bool)
    /// The list with the checksums is fetched first, and decides about the file.
    case fetchChecksum
    /// The signature decides about the file, and cannot be checked yet.
    case awaitSignature
    /// The task fails before it requests anything.
    case fail(Obstacle)

    /// The obstacle between a task and its destination.
    package enum Obstacle: Sendable, Hashable {
        /// A file is there, and `ifExists` is `fail`.
        case exists
        /// The occupant is no file, or cannot be examined; the subject is its path.
        case unusable(SystemError)
    }

    /// The fate of the file at the destination when the response is whole.
    package enum File: Sendable, Hashable {
        /// The task has no file, or nothing is at its place.
        case new
        /// The file at the destination is replaced.
        case replaced
        /// The same, because it has another checksum.
        case different
        /// The server names the file.
        case named
    }

    /// Decides about a task.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - facts: The facts about its destination; nil if they are not known.
    package init(of task: TaskSpec, _ facts: TaskFacts?) {
        switch task.kind {
        case .stream, .webSocket: self = .connect
        case .upload: self = .send(method: task.request.method)
        case .data, .download:
            if let facts, let destination = task.destination,
                let known = Self.known(task, destination, facts)
            {
                self = known
            } else if task.request.method != "GET", task.request.method != "HEAD" {
                self = .send(method: task.request.method)
            } else if let facts {
                self = Self.fetching(task, facts)
            } else {
                self = .fetch(task.destination?.isFolder == true ? .named : .new)
            }
        }
    }

    /// Whether the server can be asked what follows: a run would request the whole file of a
    /// download, and neither a body nor a program belongs to the request.
    package func canBeAsked(about task: TaskSpec) -> Bool {
        guard task.kind == .download, task.body == nil, !task.request.url.isCustom else {
            return false
        }
        switch self {
        case .fetch, .fetchChecksum, .revalidate: return true
        case .awaitSignature, .connect, .fail, .keep, .resume, .send: return false
        }
    }

    /// The forecast by the destination alone; nil if the file is requested.
    private static func known(
        _ task: TaskSpec,
        _ destination: TaskSpec.Destination,
        _ facts: TaskFacts
    ) -> TaskForecast? {
        if facts.occupant == .file, task.isMetByFile {
            if facts.hasChecksum == true { return .keep(isVerified: true) }
            if case .listed = destination.checksum { return .fetchChecksum }
            return facts.hasChecksum == nil ? .awaitSignature : nil
        }
        if case .other(let error) = facts.occupant { return .fail(.unusable(error)) }
        guard facts.occupant != .nothing, !destination.ifExists.mayReplace else { return nil }
        if let fault = facts.occupant.fault(at: destination.path) {
            return .fail(.unusable(fault))
        }
        return destination.ifExists == .skip ? .keep(isVerified: false) : .fail(.exists)
    }

    private static func fetching(_ task: TaskSpec, _ facts: TaskFacts) -> TaskForecast {
        if let part = facts.part { return .resume(count: part.count, of: part.total) }
        guard facts.occupant == .file else { return .fetch(.new) }
        if facts.hasChecksum == false { return .fetch(.different) }
        return task.destination?.ifExists == .revalidate ? .revalidate : .fetch(.replaced)
    }
}

/// The file system's facts about a download's destination before the task starts.
package struct TaskFacts: Sendable {
    /// The occupant of the destination.
    package var occupant: PathOccupant
    /// Whether the file there has the literal checksum of the task, and its signature; nil without
    /// a file, without either of them, and while only the signature is open and cannot be checked.
    package var hasChecksum: Bool?
    /// The part that an earlier run has left.
    package var part: LeftPart?

    /// Facts that are known already.
    package init(occupant: PathOccupant, hasChecksum: Bool? = nil) {
        self.occupant = occupant
        self.hasChecksum = hasChecksum
    }

    /// Looks at the destination of a task, and reads its file if a checksum decides; nil for a task
    /// whose destination is not known before the server names it, and for one without.
    ///
    /// The size of the response decides whether a data task has a destination.
    ///
    /// - Parameter task: A task whose settings are known.
    package init?(of task: TaskSpec) {
        guard let destination = task.destination, !destination.isFolder,
            destination.sizeToExceed == nil
        else { return nil }
        occupant = PathOccupant(at: destination.path)
        if occupant == .file, task.isMetByFile,
            let check = FileExamination(of: task, requesting: task.request.url, by: nil)
        {
            do { hasChecksum = try check.isMet() } catch { hasChecksum = false }
        }
        part = LeftPart(of: destination, requesting: task.request.url.text)
    }
}
