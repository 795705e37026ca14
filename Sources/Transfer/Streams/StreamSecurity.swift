internal import CurlKit
internal import SystemKit
internal import TransferModel

/// TLS that a stream begins over its open connection: encrypted bytes on one side, the
/// conversation's on the other.
final class StreamSecurity {
    private let channel: TLSChannel
    private let peer: String
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    /// Whether the handshake is complete.
    private(set) var isOpen = false
    /// Whether the peer has said that it sends no more.
    private(set) var hasPeerEnded = false
    private var hasEnded = false
    /// Whether the output that was taken last has bytes of the conversation.
    private(set) var carriesData = false

    /// Prepares the handshake with a host.
    init(
        to host: String,
        _ options: TLSOptions,
        certificate: EasyCertificate?
    ) throws(TransferFailure) {
        peer = host
        do throws(TLSFault) {
            channel = try TLSChannel(to: host, options, certificate: certificate)
        } catch {
            throw Self.failure(error, peer: host)
        }
    }

    var hasOutput: Bool { channel.hasOutput }

    /// The version and the cipher suite, after the handshake.
    var facts: TLSFacts { channel.facts }

    /// Encrypts bytes of the conversation, if there are any, and returns the bytes for the peer.
    func takeOutput(with bytes: [UInt8]) throws(TransferFailure) -> [UInt8] {
        carriesData = !bytes.isEmpty
        do throws(TLSFault) {
            try channel.send(bytes.span)
        } catch {
            throw failure(error)
        }
        return channel.takeOutput()
    }

    /// Begins the handshake, or continues it with bytes of the peer.
    ///
    /// - Returns: Whether the handshake has just been completed.
    /// - Throws: The failure of the handshake.
    func advance(with bytes: Span<UInt8>) throws(TransferFailure) -> Bool {
        do throws(TLSFault) {
            try channel.feed(bytes)
            guard !isOpen else { return false }
            isOpen = try channel.handshake()
            return isOpen
        } catch {
            throw failure(error)
        }
    }

    /// The next decrypted bytes; empty when there are none.
    func next() throws(TransferFailure) -> ArraySlice<UInt8> {
        guard isOpen, !hasPeerEnded else { return [] }
        do throws(TLSFault) {
            switch try channel.receive(into: &buffer) {
            case .bytes(let count): return buffer[..<count]
            case .nothing: return []
            case .end:
                hasPeerEnded = true
                return []
            }
        } catch {
            throw failure(error)
        }
    }

    /// Says once that nothing more will be sent.
    func end() {
        guard isOpen, !hasEnded else { return }
        hasEnded = true
        channel.close()
    }

    private func failure(_ fault: TLSFault) -> TransferFailure {
        Self.failure(fault, peer: peer)
    }

    private static func failure(_ fault: TLSFault, peer: String) -> TransferFailure {
        var failure = TransferFailure(kind: .tls, phase: .tls, detail: fault.detail)
        failure.urlError = .secureConnectionFailed
        guard let certificate = fault.certificate else { return failure }
        let refusal = CertificateRefusal(certificate, host: peer, detail: fault.detail)
        failure.detail = refusal.sentence
        failure.help = refusal.help
        failure.urlError = refusal.urlError
        failure.isPermanent = true
        return failure
    }
}
