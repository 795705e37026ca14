internal import TransferModel

// The binary form of a transfer's state in a journal.
extension [UInt8] {
    mutating func add(_ transfer: EarlierTransfer) {
        add(UInt32(clamping: transfer.attempts))
        add(UInt32(clamping: transfer.failures))
        add(transfer.deadline) { $0.add($1) }
        add(transfer.wasCut)
        add(transfer.hadKey)
        add(transfer.end) { $0.add($1) }
    }

    mutating func add(_ end: EarlierTransfer.End) {
        add(end.runIdentifier)
        add(end.date)
        add(end.outcome.rawValue)
        add(end.error) { $0.add($1) }
        add(end.file) { bytes, file in
            bytes.add(file.path)
            bytes.add(file.size)
            bytes.add(file.sha256) { $0.add($1) }
        }
        add(end.voucher?.rawValue) { $0.add($1) }
    }

    private mutating func add(_ failure: TransferFailure) {
        add(failure.kind.rawValue)
        add(failure.phase.rawValue)
        add(failure.detail)
        add(failure.help) { $0.add($1) }
        add(failure.urlError) { bytes, code in
            bytes.add(Int64(code.code))
            bytes.add(code.name)
        }
        for number in [failure.curlCode, failure.osErrno, failure.httpStatus] {
            add(number) { $0.add(Int64($1)) }
        }
        for flag in [
            failure.isKnownUnprocessed, failure.followsOrder, failure.isOutcomeUnknown,
            failure.isPermanent,
        ] {
            add(flag)
        }
    }
}

extension JournalFields {
    mutating func transfer() throws(Unreadable) -> EarlierTransfer {
        EarlierTransfer(
            attempts: Int(try number(UInt32.self)),
            failures: Int(try number(UInt32.self)),
            deadline: try optional { (fields) throws(Unreadable) in try fields.date() },
            wasCut: try flag(),
            hadKey: try flag(),
            end: try optional { (fields) throws(Unreadable) in try fields.end() }
        )
    }

    mutating func end() throws(Unreadable) -> EarlierTransfer.End {
        var end = EarlierTransfer.End(
            runIdentifier: try text(),
            date: try date(),
            outcome: try name()
        )
        end.error = try optional { (fields) throws(Unreadable) in try fields.failure() }
        end.file = try optional { (fields) throws(Unreadable) in
            PublishedFile(
                path: try fields.text(),
                size: try fields.number(),
                sha256: try fields.optional { (fields) throws(Unreadable) in try fields.text() }
            )
        }
        end.voucher = try optional { (fields) throws(Unreadable) in try fields.name() }
        return end
    }

    private mutating func failure() throws(Unreadable) -> TransferFailure {
        var failure = TransferFailure(kind: try name(), phase: try name(), detail: try text())
        failure.help = try optional { (fields) throws(Unreadable) in try fields.text() }
        failure.urlError = try optional { (fields) throws(Unreadable) in
            let code = Int(clamping: try fields.number(Int64.self))
            // The code already determines the name.
            _ = try fields.text()
            return TransferFailure.URLErrorCode(code: code)
        }
        failure.curlCode = try optionalNumber()
        failure.osErrno = try optionalNumber()
        failure.httpStatus = try optionalNumber()
        failure.isKnownUnprocessed = try flag()
        failure.followsOrder = try flag()
        failure.isOutcomeUnknown = try flag()
        failure.isPermanent = try flag()
        return failure
    }

    private mutating func optionalNumber() throws(Unreadable) -> Int? {
        try optional { (fields) throws(Unreadable) in
            Int(clamping: try fields.number(Int64.self))
        }
    }
}
