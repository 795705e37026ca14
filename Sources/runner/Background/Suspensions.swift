import Scheduler
import SystemKit
import TransferModel

/// The suspended background sessions of a run, and their changes while it runs.
struct Suspensions {
    private let folder: BackgroundFolder
    /// The positions of the background sessions in the plan, and their identifiers.
    private let sessions: [(position: Int, identifier: String)]
    /// nil where the kernel has no watch left.
    private let watch: FolderWatch?

    /// Watches the folder of background sessions; nil for a job without one.
    ///
    /// - Parameters:
    ///   - all: The sessions of the plan.
    ///   - state: The state folder, whose journals are open.
    init?(of all: [SessionConfiguration], in state: StateFolder) {
        sessions = all.enumerated().compactMap { position, session in
            session.identifier.map { (position, $0) }
        }
        guard !sessions.isEmpty, let folder = try? state.background() else { return nil }
        self.folder = folder
        do throws(SystemError) {
            watch = try FolderWatch(folder.path)
        } catch {
            watch = nil
            StandardError.say(
                "warning: `runner suspend` reaches only the next run of its session: "
                    + error.message
            )
        }
    }

    /// The positions of the sessions that are suspended now.
    var suspended: Set<Int> {
        Set(sessions.filter { folder.isSuspended($0.identifier) }.map(\.position))
    }

    /// Tells the scheduler of changes from now on.
    ///
    /// - Throws: `RunObstacle` when the kernel gives no thread.
    func start(telling inbox: Inbox<Scheduler.Message>) throws(RunObstacle) {
        let (folder, sessions) = (folder, sessions)
        do throws(SystemError) {
            try watch?.start {
                let suspended = sessions.filter { folder.isSuspended($0.identifier) }
                inbox.push(.suspensionsChanged(Set(suspended.map(\.position))))
            }
        } catch {
            throw RunObstacle(error.message)
        }
    }

    /// Ends the watch.
    func stop() { watch?.stop() }
}
