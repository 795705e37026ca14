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

    @Test(
        arguments: [
            (6, .resolve, nil, "Could not resolve host: h", "no address was found for h"),
            (7, .connect, 111, "Failed to connect", "no connection to h:81: Connection refused"),
            (7, .connect, nil, "Failed to connect", "no connection to h:81: Failed to connect"),
            (18, .receive, nil, "end of response with 9 bytes missing", "with 9 bytes missing"),
            (18, .receive, nil, "Received only partial file: 9 bytes", "ended after 9 bytes"),
            (18, .receive, nil, "transfer closed with outstanding data", "the body ended early"),
            (35, .tls, nil, "alert 40", "the TLS handshake failed: alert 40"),
            (52, .wait, nil, "Empty reply", "the connection was closed without a response"),
            (56, .wait, 104, "Recv failure: reset", "the connection was lost: reset"),
            (92, .wait, nil, "not closed cleanly", "the stream broke off: not closed cleanly"),
            (8, .wait, nil, "odd", "the response cannot be read: odd"),
            (48, .prepare, nil, "unknown option", "libcurl reports: unknown option"),
        ] as [(Int, TransferFailure.Phase, Int?, String, String)]
    )
    func `the words about an end are the runner's, and foreign ones follow`(
        code: Int,
        phase: TransferFailure.Phase,
        osErrno: Int?,
        detail: String,
        words: String
    ) {
        var end = ExchangeEnd(code: CurlCode(rawValue: code), phase: phase)
        end.host = "h"
        end.port = 81
        end.osErrno = osErrno
        end.detail = detail
        #expect(TransferFailure(end).detail.hasSuffix(words), "\(TransferFailure(end).detail)")
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
        end.readsHTTP = true
        #expect(TransferFailure(end).kind == kind)
    }

    @Test(arguments: [55, 56], [TransferFailure.Phase.send, .wait, .receive, .finish])
    func `outside of HTTP, bytes that cannot be moved are a lost connection`(
        code: Int,
        phase: TransferFailure.Phase
    ) {
        #expect(failure(code, phase).kind == .reset)
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

    @Test func `a certificate for other hosts is told by the first names that it lists`() {
        var end = ExchangeEnd(code: CurlCode(rawValue: 60), phase: .tls)
        end.host = "a.example"
        end.certificateFault = CertificateFault(code: 62)
        end.certificateNames = ["b.example", "c.ex\u{1B}ample", "127.0.0.1", "d.example"]
        #expect(
            TransferFailure(end.explained).detail
                == "the certificate that a.example shows is for another host: b.example, "
                + "c.example, 127.0.0.1 and 1 more"
        )
    }

    @Test(arguments: [(52, true), (55, true), (56, true), (35, false), (28, false)])
    func `a server that closes instead of accepting the handshake may want a certificate`(
        code: Int,
        isShutOut: Bool
    ) {
        var end = ExchangeEnd(code: CurlCode(rawValue: code), phase: .wait, didSend: true).explained
        end.host = "a.example"
        end.isShutOut = true
        end.lacksChosenVersion = true
        let failure = TransferFailure(end)
        #expect((failure.kind == .tls && failure.isPermanent) == isShutOut)
        // The server may have accepted the handshake without a word.
        #expect(!failure.isKnownUnprocessed)
        guard isShutOut else { return }
        #expect(failure.detail == "a.example closed the connection right after the TLS handshake")
        #expect(failure.help?.contains("method: clientCertificate") == true)
        #expect(failure.urlError?.code == -1206)
        end.hasClientCertificate = true
        #expect(TransferFailure(end).help?.contains("may not accept") == true)
    }

    @Test(arguments: [
        (nil, "install the package `ca-certificates`"),
        ("/a/ca.pem", "name a file of PEM certificates in `tls.caFile`"),
    ])
    func `the package of authorities is advised only if the session names no file`(
        file: String?,
        help: String
    ) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 77), phase: .tls).explained
        end.caFile = file
        let failure = TransferFailure(end)
        #expect(failure.help == help)
        let words = file.map { "`\($0)` holds no PEM certificate" }
        #expect(failure.detail == words ?? "the TLS handshake failed: x")
    }

    @Test(arguments: [
        (403, "the proxy forbids this host"), (407, "its user and its password"),
        (405, "or ask its owner"),
    ])
    func `the advice about a refused tunnel follows its status`(status: Int, help: String) {
        var end = ExchangeEnd(code: CurlCode(rawValue: 56), phase: .connect)
        end.proxy = ExchangeEnd.Proxy(url: "http://p:1", connectStatus: status)
        end.detail = "CONNECT tunnel failed, response \(status)"
        #expect(TransferFailure(end).help?.contains(help) == true)
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
