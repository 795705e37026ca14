internal import SystemKit
internal import TransferModel

/// The steps of an attempt whose URL is answered without a server: libcurl has no part in it.
///
/// A value without state of its own: the exchange has the body that is read.
struct LocalAttempt {
    let attempt: Attempt

    private var exchange: Exchange { attempt.exchange }

    /// Begins the only exchange.
    func begin() -> Attempt.Next {
        attempt.perform { () throws(TransferFailure) in
            let local: LocalBody
            do throws(TransferFailure) {
                local = try LocalBody(
                    exchange.hop.url,
                    below: exchange.session.configuration.readableFolders
                )
            } catch {
                exchange.recorder.end(isComplete: false, protocolName: nil)
                throw error
            }
            exchange.response.head = local.head
            exchange.response.servedLength = local.length
            exchange.recorder.didRead(local.head, from: .local, at: exchange.move())
            guard exchange.receive(local.head) else { return try end() }
            exchange.local = local
            return try read()
        }
    }

    /// Reads the next piece of the body, and leaves the rest to later turns.
    func read() throws(TransferFailure) -> Attempt.Next {
        guard var local = exchange.local else { return attempt.finish() }
        // The attempt waits for the disk only, so no idle time counts.
        exchange.watch.willBegin(at: .now)
        do throws(TransferFailure) {
            guard try local.readStep({ exchange.receive($0) }), !local.isAtEnd else {
                return try end()
            }
        } catch {
            exchange.fail(error)
            return try end()
        }
        exchange.local = local
        return .read
    }

    private func end() throws(TransferFailure) -> Attempt.Next {
        exchange.local = nil
        exchange.recorder.end(isComplete: !exchange.hasFailed, protocolName: nil)
        return try attempt.take(attempt.machine.step)
    }
}
