package import RegexKit
package import SystemKit
package import TransferModel

/// The inputs of a plan from outside the document.
package struct PlanOptions: Sendable {
    /// The result of looking at a file that the job needs.
    package enum FileStatus: Sendable, Hashable {
        /// A regular file that can be opened.
        case readable
        case missing
        /// A named pipe that can be read.
        case pipe
        /// A folder, a device, a socket.
        case notRegular
        /// The file cannot be opened, with the system's reason.
        case unreadable(String)
    }

    /// The result of looking into a folder for `glob`.
    package enum FolderListing: Sendable, Hashable {
        case children([Folder.Child])
        case missing
        /// The folder cannot be read, with the system's reason.
        case unreadable(String)
        /// The folder has more names than allowed.
        case tooMany
    }

    /// Lists the folder of an absolute path, with the most names to take.
    package typealias FolderLister = @Sendable (_ path: String, _ limit: Int) -> FolderListing

    /// The prefix of a variable's name in the environment.
    package static let variablePrefix = "RUNNER_VAR_"

    /// The values of `--var`, which win over those of the file.
    package var variables: [String: String] = [:]
    /// The process's environment, for `${env.NAME}`.
    package var environment: [String: String] = [:]
    /// The ids of `--only`: the run has these tasks and their needs; empty means all.
    package var only: [String] = []
    /// The part of the job that the run does, with `only` of the chosen tasks; nil for all.
    package var shard: Shard?
    /// Whether the run has all tasks of the job; otherwise it numbers its tasks anew.
    package var isWhole: Bool { only.isEmpty && shard == nil }
    /// The absolute path that the document's name is relative to.
    package var workingFolder = "/"
    /// The absolute path of `--report`, which takes the place of the file's `report.json`; nil
    /// without it.
    package var reportPath: String?
    /// Looks at the file of an absolute path without opening it, which a process at the other end
    /// of a pipe would notice.
    ///
    /// Asked while the plan is made, never later.
    package var fileStatus: @Sendable (String) -> FileStatus = { _ in .readable }
    /// The path of the file that the document's name leads to, through all links; asked while the
    /// plan is made, never later.
    package var resolvedPath: @Sendable (String) -> String = { $0 }
    /// Whether two absolute paths lead to one file, also by links; asked while the plan is made,
    /// never later.
    package var isSameFile: @Sendable (String, String) -> Bool = { _, _ in false }
    /// Finds the fault of a pattern; asked while the plan is made, never later.
    package var patternFault: @Sendable (String) -> RegularExpressionFault? = { _ in nil }

    /// Opens the data file of an absolute path that `fileStatus` calls readable; asked while the
    /// plan is made.
    ///
    /// The plan keeps the file and reads from it again when its tasks are started.
    package var dataFile: @Sendable (String) -> (any DataFile)? = { _ in nil }
    /// Lists folders for `glob`; asked while the plan is made, never later.
    package var folder: FolderLister = { _, _ in .missing }
    /// The values of `${run.…}`.
    package var run = RunValues.standIn
    /// Whether missing variables and files of the environment are warnings: for a look at a job
    /// elsewhere than where it runs.
    ///
    /// A plan with such a warning is not to be run.
    package var toleratesEnvironment = false
    /// Whether ids of `only` that no task has are in `Plan.absentTasks`, rather than faults.
    package var allowsAbsentTasks = false
    /// How many tasks the plan may keep until they are started, rather than read them again; 0 or
    /// more.
    package var mostKeptTasks = 0

    /// Nothing from outside, every file taken for readable and one of its own, and every text for a
    /// pattern, before `change`.
    package init(_ change: (inout PlanOptions) -> Void = { _ in }) { change(&self) }
}

/// The values of `${run.…}`: the same in every task of a run.
package struct RunValues: Sendable, Hashable {
    /// The run's id, as in its report.
    package var id: String
    /// The time that `date` and `time` show.
    package var startDate: Timestamp

    /// Creates the values of one run.
    package init(id: String, startDate: Timestamp) {
        self.id = id
        self.startDate = startDate
    }

    /// Values in the shape of a run's values, for commands that do not run the job.
    package static let standIn = RunValues(
        id: "19700101T000000Z-000000000000",
        startDate: Timestamp(microseconds: 0)
    )

    static let names = ["id", "date", "time"]

    /// The value of a name; nil when there is none.
    subscript(name: String) -> String? {
        switch name {
        case "id": id
        case "date": String(startDate.rfc3339.prefix(10))
        case "time": startDate.rfc3339.prefix(19) + "Z"
        default: nil
        }
    }
}
