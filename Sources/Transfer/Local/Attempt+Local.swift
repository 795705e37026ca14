internal import SystemKit
internal import TransferModel

// The steps of an attempt whose URL is answered without a server: libcurl has no part in it.
extension Attempt {
    /// Begins the only exchange.
    func beginLocal() -> Next {
        perform { () throws(TransferFailure) in
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
            guard exchange.receive(local.head) else { return try endLocal() }
            return try read(local)
        }
    }

    /// Reads the next piece of the body, and leaves the rest to later turns.
    func read(_ local: LocalBody) throws(TransferFailure) -> Next {
        var local = local
        // The attempt waits for the disk only, so no idle time counts.
        exchange.watch.willBegin(at: .now)
        do throws(TransferFailure) {
            guard try local.readStep({ exchange.receive($0) }), !local.isAtEnd else {
                return try endLocal()
            }
        } catch {
            exchange.fail(error)
            return try endLocal()
        }
        exchange.kind = .local(local)
        return .read
    }

    private func endLocal() throws(TransferFailure) -> Next {
        exchange.kind = .http
        return try endWithoutServer()
    }
}
