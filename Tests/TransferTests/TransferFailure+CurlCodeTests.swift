import CurlKit
import Testing
import TransferModel

@testable import Transfer

@Suite struct TransferFailureCurlCodeTests {
    private func failure(_ code: Int, _ phase: TransferFailure.Phase = .wait) -> TransferFailure {
        TransferFailure(ExchangeEnd(code: CurlCode(rawValue: code), phase: phase, detail: "x"))
    }

    /// Every number that libcurl has given away, the retired ones among them.
    @Test(arguments: 1...101)
    func `every code becomes one failure`(code: Int) {
        let failure = failure(code)
        #expect(failure.curlCode == code)
        #expect(failure.urlError != nil)
        #expect(failure.kind != .httpStatus || failure.isPermanent || code == 22)
    }

    @Test(
        arguments: [
            (6, .resolve, false), (7, .connect, false),
            (23, .localIO, true), (28, .timeout, false), (35, .tls, false), (43, .engine, true),
            (48, .engine, true), (52, .reset, false), (56, .reset, false), (60, .tls, true),
        ] as [(Int, TransferFailure.Kind, Bool)]
    )
    func `a code determines the kind and whether a retry could help`(
        code: Int,
        kind: TransferFailure.Kind,
        isPermanent: Bool
    ) {
        #expect(failure(code).kind == kind)
        #expect(failure(code).isPermanent == isPermanent)
    }

    @Test(arguments: [16, 18, 92, 95])
    func `a stream that breaks off after its head is truncated`(code: Int) {
        #expect(failure(code, .receive).kind == .truncated)
        #expect(failure(code, .wait).kind == .reset)
    }

    // RFC 9113 §8.2: over HTTP/1.1 the like is a violation, too.
    @Test(arguments: [TransferFailure.Phase.wait, .receive])
    func `a field that must not be in a stream is the server's fault`(
        phase: TransferFailure.Phase
    ) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 92), phase: phase, didSend: true)
        end.detail =
            "Invalid HTTP header field was received: frame type: 1, stream: 1, name: [content-length], value: [5]"
        #expect(TransferFailure(end).kind == .protocolViolation)
    }

    @Test(
        arguments: [
            (27, .wait, true, .protocolViolation), (27, .wait, false, .engine),
            (27, .connect, true, .engine), (100, .receive, true, .protocolViolation),
        ] as [(Int, TransferFailure.Phase, Bool, TransferFailure.Kind)]
    )
    func `a line that is too long is the server's fault, missing memory is not`(
        code: Int,
        phase: TransferFailure.Phase,
        didSend: Bool,
        kind: TransferFailure.Kind
    ) {
        let end = ExchangeEnd(code: CurlCode(rawValue: code), phase: phase, didSend: didSend)
        #expect(TransferFailure(end.explained).kind == kind)
    }

    @Test(
        arguments: [
            (nil, .receive, false, "illegal chunk", .protocolViolation),
            (
                nil, .receive, true, "Malformed encoding found in chunked-encoding",
                .protocolViolation
            ),
            (nil, .receive, true, "OpenSSL SSL_read: unexpected eof while reading", .truncated),
            (104, .receive, false, "Recv failure: Connection reset by peer", .reset),
            (nil, .wait, false, "x", .reset),
        ] as [(Int?, TransferFailure.Phase, Bool, String, TransferFailure.Kind)]
    )
    func `bytes that cannot be read are not a lost connection`(
        osErrno: Int?,
        phase: TransferFailure.Phase,
        isEncrypted: Bool,
        detail: String,
        kind: TransferFailure.Kind
    ) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 56), phase: phase, didSend: true)
        end.osErrno = osErrno
        end.isEncrypted = isEncrypted
        end.detail = detail
        #expect(TransferFailure(end).kind == kind)
    }

    @Test(arguments: [(407, true), (403, true), (408, false), (429, false), (502, false)])
    func `a tunnel that a proxy refuses is a connect failure`(status: Int, isPermanent: Bool) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 56), phase: .connect)
        end.proxy = ExchangeEnd.Proxy(url: "http://p:1", connectStatus: status)
        end.detail = "CONNECT tunnel failed, response \(status)"
        let failure = TransferFailure(end)
        #expect(failure.kind == .connect)
        #expect(failure.isPermanent == isPermanent)
        #expect(failure.isKnownUnprocessed)
    }

    @Test(arguments: [
        (10, 0, "the certificate of a.example expired on 2026-01-02", -1201),
        (10, 1, "an issuer certificate in the chain of a.example expired on 2026-01-02", -1201),
        (9, 0, "the certificate of a.example is not valid yet, only from 2025-12-31", -1204),
        (18, 0, "the certificate of a.example is self-signed and not trusted", -1203),
        (19, 1, "an authority that this machine does not trust (Some CA)", -1203),
        (20, 0, "issued by an unknown authority (Some CA)", -1203),
        (23, 0, "the certificate of a.example was revoked by its issuer", -1202),
        (62, 0, "the certificate that a.example shows is for another host", -1202),
        (28, 0, "the certificate of a.example is not accepted: x", -1202),
    ])
    func `a refused certificate names its owner and the reason`(
        result: Int,
        depth: Int,
        words: String,
        code: Int
    ) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 60), phase: .tls)
        end.host = "a.example"
        end.certificateFault = CertificateFault(
            code: result,
            depth: depth,
            notBefore: 1_767_225_599,
            notAfter: 1_767_312_000,
            issuer: "Some\u{1B} CA\n"
        )
        let failure = TransferFailure(end.explained)
        #expect(failure.detail.hasSuffix(words), "\(failure.detail)")
        #expect(failure.urlError?.code == code)
        #expect(failure.isPermanent)
        #expect(failure.isKnownUnprocessed)
    }

    @Test(arguments: [
        ("error:0A000102:SSL routines::unsupported protocol", true),
        ("error:0A00042E:SSL routines::tlsv1 alert protocol version", true),
        ("error:0A000410:SSL routines::sslv3 alert handshake failure", false),
    ])
    func `incompatible HTTP versions fail for good`(detail: String, isPermanent: Bool) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 35), phase: .tls)
        end.detail = detail
        #expect(TransferFailure(end).isPermanent == isPermanent)
    }
}

extension ExchangeEnd {
    /// With words of its own, so that libcurl need not be loaded for them.
    fileprivate var explained: ExchangeEnd {
        var end = self
        end.detail = "x"
        return end
    }
}
