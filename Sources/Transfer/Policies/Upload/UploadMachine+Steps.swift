// The states, steps and faults of `UploadMachine`.
extension UploadMachine {
    /// The running request; each case lists its legal successors.
    enum Leg: Hashable {
        /// The task's own request with the whole body. Next: `creation`, `offset`, `over`.
        case creation
        /// Asks for the server's offset (HEAD). Next: `append`, `creation`, `cancellation`, `over`.
        case offset
        /// Sends the bytes between two offsets (PATCH). Next: `offset`, `over`.
        case append(from: Int64, to: Int64)
        /// Cancels the upload (DELETE). Next: `creation`, `over`.
        case cancellation(Fault?)
        /// The rest of the attempt does not use the protocol.
        case over
    }

    /// The step after a response.
    enum Step: Equatable {
        /// The response answers the task, or does not concern the upload.
        case judge
        /// Send the request of the machine's new leg.
        case proceed
        /// The server already had the whole body; its answer is lost.
        case answerLost
        /// The earlier upload belongs to another order, and the server does not tell its outcome:
        /// send this order without the protocol.
        case sendPlainly
        case fail(Fault)
    }

    /// A violation of the protocol by a server.
    enum Fault: Hashable {
        /// The server wants more of the body but has given no URL.
        case noURL
        /// The server has not given its offset.
        case noOffset
        /// The offset is less than before, more than was sent, or contradicts `Upload-Complete`.
        case wrongOffset(Int64)
        /// Further requests do not increase the offset.
        case noProgress
        /// The server no longer knows the upload, and may have had the whole body.
        case forgotten(status: Int)
        /// The server has the whole body of an order with other fields, credentials or file times.
        case hasOther
        /// The server refuses to give its offset for another reason.
        case refused(status: Int)
    }

    /// The properties that an earlier upload shares with the wanted one.
    enum Match {
        /// Everything.
        case upload
        /// Method, URL and body, as far as these can be compared; not the fields, the credentials
        /// or the times of files.
        case order
        case nothing
    }

    /// An earlier upload that is not resumed: the server is asked about it before it is cancelled.
    struct Other: Equatable {
        let match: Match
        let total: Int64
    }
}
