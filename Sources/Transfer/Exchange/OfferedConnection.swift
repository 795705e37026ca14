internal import CurlKit
internal import SystemKit
internal import TransferModel

/// A connection that libcurl offers for the request of an exchange: decides whether the request
/// leaves over it, and records it.
struct OfferedConnection {
    let exchange: Exchange
    let facts: ConnectionFacts
    /// Whether it was opened for the request.
    private let isNew: Bool
    /// Whether the origin's end of it is encrypted.
    private let isSecure: Bool

    init(_ facts: ConnectionFacts, for exchange: Exchange) {
        self.exchange = exchange
        self.facts = facts
        isNew = exchange.recorder.hasNewConnection
        isSecure = exchange.hop.url.origin.scheme == .https || exchange.file?.usesTLS == true
    }

    /// Decides whether the request leaves over the connection, and records it.
    ///
    /// - Returns: False when libcurl is to end the transfer.
    /// - Throws: The failure when no idle connection is usable.
    func accept(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        let (session, handle) = (exchange.session, exchange.handle)
        guard try isClean() else { return false }
        let number = session.connections.number(of: facts, isNew: isNew) {
            handle.socket(of: facts)
        }
        if isNew { session.keep(handle.newestOpening, of: number) }
        guard session.paths == nil || isPermitted(number) else { return false }
        if isNew { exchange.policies.connection.didConnect(osErrno: handle.lastOSErrno) }
        let tls = isSecure ? handle.useTLS() : nil
        if isNew, let tls, !tls.hasChosenProtocol, !mayUseUnchosenVersion() { return false }
        exchange.recorder.willSendRequest(
            over: facts,
            identifier: number,
            times: isNew ? handle.connectTimes : nil,
            tls: tls,
            serverTrust: isSecure ? session.configuration.tls.serverTrust : nil,
            at: now
        )
        if session.socketOptions.isMultipath {
            exchange.recorder.noteMultipath(
                session.isMultipath(facts, number, isNew: isNew, of: handle)
            )
        }
        return true
    }

    /// Whether a kept connection has received nothing that would look like the response.
    private func isClean() throws(TransferFailure) -> Bool {
        let isEncrypted = isSecure || exchange.policies.proxy.route?.isEncrypted == true
        if isNew || exchange.session.isClean(facts, isEncrypted: isEncrypted, of: exchange.handle) {
            return true
        }
        guard exchange.policies.connection.refuseReuse() else {
            throw exchange.recorder.stage.uncleanConnections
        }
        return false
    }

    /// Whether the network policy permits the way of the connection, which is recorded.
    private func isPermitted(_ number: Int) -> Bool {
        let use = exchange.session.use(
            facts,
            number,
            isNew: isNew,
            of: exchange.handle,
            &exchange.policies.path
        )
        switch use {
        case .free: return true
        case .over(let metrics):
            exchange.recorder.willUse(metrics)
            return true
        case .refused:
            // The pool offered a connection made before the network changed.
            if !isNew { _ = exchange.policies.connection.refuseReuse() }
            return false
        }
    }

    /// Whether the request may leave although the server chose no version of HTTP.
    ///
    /// Asked before anything is sent, so that another exchange can offer more versions.
    private func mayUseUnchosenVersion() -> Bool {
        let origin = exchange.hop.url.origin
        let isKnown = exchange.session.originsWithoutALPN.contains(origin)
        let demand = ConnectionPolicy.Demand(of: exchange)
        return exchange.policies.connection.mayUseUnchosenVersion(demand, isKnown: isKnown)
    }
}
