// The words in which `UploadMachine` says what is asked for, what follows, and what is wrong.
extension UploadMachine {
    /// The request that is under way; legal next ones stand behind each.
    enum Leg: Hashable {
        /// The task's own, with the whole body. Next: `creation`, `offset`, `over`.
        case creation
        /// Asks how much the server has (HEAD). Next: `append`, `creation`, `cancellation`, `over`.
        case offset
        /// Brings what stands between two positions (PATCH). Next: `offset`, `over`.
        case append(from: Int64, to: Int64)
        /// Gives the upload up (DELETE). Next: `creation`, `over`.
        case cancellation(Fault?)
        /// Nothing about the protocol any more.
        case over
    }

    /// What follows a response.
    enum Step: Equatable {
        /// It is the answer to the task, or about something else than the upload.
        case judge
        /// The request of the leg that the machine is in now.
        case proceed
        /// All was there before: its answer is lost.
        case answerLost
        /// What was left is somebody else's order, of which the server does not say what became of
        /// it: this one goes without the protocol.
        case sendPlainly
        case fail(Fault)
    }

    /// What a server may not do.
    enum Fault: Hashable {
        /// It wants more, and has not said where to.
        case noURL
        /// It has not said how much it has.
        case noOffset
        /// It has less than before, more than there is, or calls complete what is not.
        case wrongOffset(Int64)
        /// What it is sent does not get it any further.
        case noProgress
        /// It does not know the upload any more, and may have had all of it.
        case forgotten(status: Int)
        /// It has all of an order that had other fields, credentials or times of its files.
        case hasOther
        /// It does not say how much it has for another reason.
        case refused(status: Int)
    }

    /// What an upload that was left has in common with the one that is wanted.
    enum Match {
        /// Everything.
        case upload
        /// Method, URL and body, as far as that can be told; not the fields, who asks, or the times
        /// of its files.
        case order
        case nothing
    }

    /// What was left and is not gone on with: the server is asked about it before it is given up.
    struct Other: Equatable {
        let match: Match
        let total: Int64
    }
}
