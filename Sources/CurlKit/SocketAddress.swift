internal import CCurl
internal import Glibc
package import SystemKit

/// An address for which libcurl opens a socket, parsed on demand.
@safe package struct SocketAddress {
    private var storage = sockaddr_storage()

    init(_ address: UnsafePointer<curl_sockaddr>) {
        let size = min(Int(unsafe address.pointee.addrlen), MemoryLayout<sockaddr_storage>.size)
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return }
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            unsafe bytes.copyMemory(
                from: UnsafeRawBufferPointer(
                    start: UnsafeRawPointer(address).advanced(by: offset),
                    count: size
                )
            )
        }
    }

    /// The address; nil unless it is an IP address.
    package var ip: IPAddress? {
        endpoint.flatMap { IPAddress($0.address) }
    }

    /// The interface of a link-local address (RFC 4007); nil for any other address.
    package var scope: Int32? {
        guard Int32(storage.ss_family) == AF_INET6 else { return nil }
        let scope = unsafe withUnsafeBytes(of: storage) { bytes in
            unsafe bytes.load(as: sockaddr_in6.self).sin6_scope_id
        }
        return scope == 0 ? nil : Int32(bitPattern: scope)
    }

    /// The numeric address and the port; nil unless it is an IP address.
    var endpoint: (address: String, port: Int)? {
        unsafe withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let address = unsafe bytes.load(as: sockaddr_in.self)
                return (
                    Self.text(AF_INET, address.sin_addr), Int(UInt16(bigEndian: address.sin_port))
                )
            case AF_INET6:
                let address = unsafe bytes.load(as: sockaddr_in6.self)
                return (
                    Self.text(AF_INET6, address.sin6_addr),
                    Int(UInt16(bigEndian: address.sin6_port))
                )
            default:
                return nil
            }
        }
    }

    private static func text(_ family: Int32, _ address: some Any) -> String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe withUnsafeBytes(of: address) { bytes in
            unsafe inet_ntop(family, bytes.baseAddress, &buffer, socklen_t(buffer.count))
        }
        let end = buffer.firstIndex(of: 0) ?? buffer.count
        return String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
