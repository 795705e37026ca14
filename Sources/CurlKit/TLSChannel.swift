internal import CCurl
internal import Glibc
internal import SystemKit

/// TLS of a client over bytes that the caller moves, for a connection that begins TLS later.
///
/// libcurl begins TLS only when it opens a connection. The library is the OpenSSL that libcurl has
/// loaded. Any thread may use a channel, one at a time.
@safe package final class TLSChannel {
    /// The result of a read.
    package enum Received: Sendable, Hashable {
        /// The number of bytes at the beginning of the buffer.
        case bytes(Int)
        /// Nothing until more bytes of the peer are fed.
        case nothing
        /// The peer has said that it sends no more (close_notify).
        case end
    }

    private let channel: OpaquePointer

    /// Prepares a handshake; feeds and takes nothing yet.
    ///
    /// - Parameters:
    ///   - host: The name or the address that the server's certificate must have.
    ///   - options: The versions and the trusted certificates.
    ///   - certificate: For a server that asks for one.
    /// - Throws: The reason why OpenSSL cannot use them.
    package init(
        to host: String,
        _ options: TLSOptions,
        certificate: EasyCertificate?
    ) throws(TLSFault) {
        let texts = CStrings([
            host, options.caFile, options.pinnedPublicKeys, certificate?.certificateFile,
            certificate.map { $0.keyFile ?? $0.certificateFile }, certificate?.password,
            options.systemFile,
        ])
        var settings = unsafe ccurl_channel_options()
        unsafe settings.host = texts[0]
        unsafe settings.is_address = IPAddress(host) == nil ? 0 : 1
        unsafe settings.minimum_version = Self.number(options.minimumVersion)
        unsafe settings.maximum_version = options.maximumVersion.map(Self.number) ?? 0
        unsafe settings.ca_file = texts[1]
        unsafe settings.system_file = texts[6]
        unsafe settings.is_verified = options.isVerified ? 1 : 0
        unsafe settings.pins = texts[2]
        unsafe settings.certificate = texts[3]
        unsafe settings.key = texts[4]
        unsafe settings.password = texts[5]
        unsafe settings.is_pkcs12 = certificate?.format == .pkcs12 ? 1 : 0
        var fault = [CChar](repeating: 0, count: 256)
        let made = unsafe fault.withUnsafeMutableBufferPointer { buffer in
            unsafe ccurl_channel_new(&settings, buffer.baseAddress, buffer.count)
        }
        texts.erase()
        guard let made = unsafe made else {
            let bytes = fault.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw TLSFault(detail: String(decoding: bytes, as: UTF8.self))
        }
        unsafe channel = unsafe made
    }

    deinit { unsafe ccurl_channel_free(channel) }

    private static func number(_ version: TLSOptions.Version) -> Int32 {
        version == .tls13 ? 0x0304 : 0x0303
    }

    /// Takes bytes of the peer.
    package func feed(_ bytes: Span<UInt8>) throws(TLSFault) {
        let isFed = unsafe bytes.withUnsafeBytes { buffer in
            unsafe ccurl_channel_feed(channel, buffer.baseAddress, buffer.count)
        }
        guard isFed == 1 else { throw TLSFault(detail: "no memory") }
    }

    /// Whether there are bytes for the peer.
    package var hasOutput: Bool { unsafe ccurl_channel_pending(channel) > 0 }

    /// Returns the bytes for the peer and forgets them.
    package func takeOutput() -> [UInt8] {
        let count = unsafe ccurl_channel_pending(channel)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let taken = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe ccurl_channel_take(channel, buffer.baseAddress, buffer.count)
        }
        bytes.removeLast(count - min(taken, count))
        return bytes
    }

    /// Continues the handshake.
    ///
    /// - Returns: Whether it is complete; otherwise more bytes of the peer are needed.
    /// - Throws: The reason of OpenSSL, with the certificate that it refused.
    package func handshake() throws(TLSFault) -> Bool {
        let result = unsafe ccurl_channel_handshake(channel)
        guard result < 0 else { return result == 1 }
        let code = unsafe ccurl_channel_verify_result(channel)
        guard code == 0 else {
            throw TLSFault(
                detail: unsafe String(cString: ccurl_channel_verify_text(channel)),
                certificate: CertificateFault(code: Int(code))
            )
        }
        throw fault
    }

    /// Reads decrypted bytes into a buffer that is not empty.
    package func receive(into buffer: inout [UInt8]) throws(TLSFault) -> Received {
        let result = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe ccurl_channel_read(channel, bytes.baseAddress, bytes.count)
        }
        switch result {
        case 0: return .nothing
        case 1...: return .bytes(Int(result))
        case Int32(CCURL_CHANNEL_CLOSED): return .end
        default: throw fault
        }
    }

    /// Encrypts bytes into the output; only after the handshake.
    package func send(_ bytes: Span<UInt8>) throws(TLSFault) {
        guard !bytes.isEmpty else { return }
        let result = unsafe bytes.withUnsafeBytes { buffer in
            unsafe ccurl_channel_write(channel, buffer.baseAddress, buffer.count)
        }
        // Memory takes all bytes at once.
        guard result == Int32(bytes.count) else { throw fault }
    }

    /// Says that nothing more will be sent (close_notify, RFC 8446 §6.1).
    package func close() { unsafe ccurl_channel_close(channel) }

    /// The version and the cipher suite, after the handshake.
    package var facts: TLSFacts {
        var suite: UInt32 = 0
        var name: UnsafePointer<CChar>?
        let version = unsafe ccurl_channel_facts(channel, &suite, &name)
        return TLSFacts(
            version: Int(version),
            cipherSuite: Int(suite & 0xFFFF),
            cipherSuiteName: unsafe name.map { unsafe String(cString: $0) } ?? "unknown",
            hasChosenProtocol: false
        )
    }

    private var fault: TLSFault {
        TLSFault(detail: unsafe String(cString: ccurl_channel_fault(channel)))
    }
}

/// Texts for C that are erased after use: a password may be among them.
@safe private final class CStrings {
    private var pointers: [UnsafeMutablePointer<CChar>?]

    init(_ texts: [String?]) {
        unsafe pointers = texts.map { text in unsafe text.flatMap { unsafe strdup($0) } }
    }

    subscript(position: Int) -> UnsafePointer<CChar>? {
        unsafe pointers[position].map { unsafe UnsafePointer($0) }
    }

    /// Erases and frees the texts.
    func erase() {
        while let last = unsafe pointers.popLast() {
            guard let pointer = unsafe last else { continue }
            unsafe explicit_bzero(pointer, strlen(pointer))
            unsafe free(pointer)
        }
    }
}

/// Why a channel of TLS cannot be made, or has failed.
package struct TLSFault: Error, Sendable, Hashable {
    /// The reason in words.
    package var detail: String
    /// The refused certificate; nil for other reasons.
    package var certificate: CertificateFault?
}
