package import JobFile
package import TransferModel

/// The job's settings for the lock that keeps its runs apart, read before its tasks.
package struct LockRequest: Sendable, Hashable {
    /// As the job says, or the file's stem.
    package let jobName: String
    /// Identifies the job wherever its file lies; nil when its path identifies it.
    package let identifier: String?
    /// The part of the job that the run does, with a lock of its own; nil for the whole job.
    package let shard: Shard?
    /// The action of this run while another run of the job has the lock.
    package let policy: LockPolicy

    /// Creates a request for the lock of a job.
    package init(
        jobName: String,
        identifier: String? = nil,
        shard: Shard? = nil,
        policy: LockPolicy
    ) {
        self.jobName = jobName
        self.identifier = identifier
        self.shard = shard
        self.policy = policy
    }

    /// Creates a request for the lock of a plan's job, which refuses a second run.
    package init(of plan: Plan) {
        self.init(
            jobName: plan.name,
            identifier: plan.identifier,
            shard: plan.shard,
            policy: .fail
        )
    }

    /// Reads no more of the document than it takes to find the lock.
    ///
    /// nil when the job asks for none, and for a fault in the part that was read, which `Plan.make`
    /// finds again.
    package init?(of document: Document, options: PlanOptions) {
        guard let schedule = document.value(of: document.root, for: "schedule")?.value,
            document.value(of: schedule, for: "lock") != nil
        else { return nil }
        let (head, reader) = JobHead.read(document, options)
        guard !reader.faults.log.hasErrors, let policy = head.draft.schedule.lock else {
            return nil
        }
        self.init(
            jobName: head.jobName,
            identifier: head.draft.identifier,
            shard: options.shard,
            policy: policy
        )
    }
}
