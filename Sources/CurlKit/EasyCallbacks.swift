internal import CCurl
internal import Glibc

// The C callbacks of `EasyHandleClient`: each finds the handle, calls one method and translates its
// result.

private func client(_ user: UnsafeMutableRawPointer?) -> (any EasyHandleClient)? {
    guard let user = unsafe user else { return nil }
    return unsafe Unmanaged<EasyHandle>.fromOpaque(user)._withUnsafeGuaranteedRef { handle in
        handle.sockets.watch.willCallBack(for: handle.tag)
        return handle.client
    }
}

private func handle(_ user: UnsafeMutableRawPointer?, _ body: (EasyHandle) -> Void) {
    guard let user = unsafe user else { return }
    unsafe Unmanaged<EasyHandle>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}

private func bytes(
    _ start: UnsafeMutablePointer<CChar>?,
    _ count: Int
) -> UnsafeBufferPointer<UInt8> {
    let raw = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return unsafe raw.assumingMemoryBound(to: UInt8.self)
}

let writeCallback: ccurl_write_fn = { start, size, count, user in
    let length = size * count
    switch unsafe client(user)?.didReceiveBody(bytes(start, length).span) {
    case .taken:
        unsafe handle(user) { $0.rest() }
        return length
    case .paused: return Int(CURL_WRITEFUNC_PAUSE)
    case .failed, nil: return 0
    }
}

let headerCallback: ccurl_write_fn = { start, size, count, user in
    let length = size * count
    return unsafe client(user)?.didReceiveHeader(bytes(start, length).span) == true ? length : 0
}

let readCallback: ccurl_read_fn = { bytes, size, count, user in
    guard let bytes = unsafe bytes, let client = unsafe client(user) else {
        return Int(CURL_READFUNC_ABORT)
    }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    var span = unsafe buffer.mutableBytes
    switch client.readBody(into: &span) {
    case .bytes(let count): return min(count, size * count)
    case .paused: return Int(CURL_READFUNC_PAUSE)
    case .failed: return Int(CURL_READFUNC_ABORT)
    }
}

let seekCallback: ccurl_seek_fn = { user, offset, origin in
    guard offset == 0, origin == SEEK_SET, unsafe client(user)?.rewindBody() == true else {
        return CURL_SEEKFUNC_FAIL
    }
    return CURL_SEEKFUNC_OK
}

let prereqCallback: ccurl_prereq_fn = { user, remote, local, remotePort, localPort in
    unsafe handle(user) { $0.willSendRequest(from: Int(localPort)) }
    let maySend = unsafe client(user)?.willSendRequest(
        over: ConnectionFacts(
            remoteAddress: remote.map { unsafe String(cString: $0) } ?? "",
            remotePort: Int(remotePort),
            localAddress: local.map { unsafe String(cString: $0) } ?? "",
            localPort: Int(localPort)
        )
    )
    return maySend == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

let resolverCallback: ccurl_resolver_fn = { _, _, user in
    unsafe client(user)?.didStartResolving()
    return 0
}

let openSocketCallback: ccurl_opensocket_fn = { user, _, address in
    guard let address = unsafe address, let client = unsafe client(user) else {
        return CURL_SOCKET_BAD
    }
    let peer = unsafe SocketAddress(address)
    guard let options = client.willOpenSocket(to: peer) else { return CURL_SOCKET_BAD }
    unsafe handle(user) { $0.triedPeer = peer }
    let opened = unsafe options.open(for: address.pointee)
    var manner: PortGuard.Manner?
    if opened >= 0, let device = options.device, let binding = options.bind(opened) {
        guard client.didBind(binding) else {
            close(opened)
            return CURL_SOCKET_BAD
        }
        manner = binding == .bound ? .answers(by: device.index) : .isSilent
    }
    unsafe handle(user) { $0.didOpen(opened, manner) }
    return opened
}

/// The user pointer is the table: a connection outlives the handle that opened it.
let closeSocketCallback: ccurl_closesocket_fn = { user, socket in
    guard let user = unsafe user else { return close(socket) }
    return unsafe Unmanaged<SocketTable>.fromOpaque(user)._withUnsafeGuaranteedRef {
        $0.close(socket)
    }
}

let progressCallback: ccurl_progress_fn = { user, _, received, _, _ in
    unsafe client(user)?.mayDiscard(received: Int64(received)) == false ? 1 : 0
}

let debugCallback: ccurl_debug_fn = { _, type, start, count, user in
    switch type {
    case CURLINFO_HEADER_OUT:
        unsafe client(user)?.didSendHead(bytes(start, count).span)
        unsafe handle(user) { $0.didSendHead() }
    case CURLINFO_DATA_OUT:
        unsafe client(user)?.didTransfer(.bodySent, count: count)
        unsafe handle(user) { $0.didSendBody(count: count) }
    case CURLINFO_DATA_IN: unsafe client(user)?.didTransfer(.bodyReceived, count: count)
    case CURLINFO_SSL_DATA_OUT: unsafe client(user)?.didTransfer(.tlsSent, count: count)
    case CURLINFO_TEXT:
        if unsafe bytes(start, count).span.tellsOfExcess { unsafe client(user)?.didDropExcess() }
    default: break
    }
    return 0
}

extension Span<UInt8> {
    /// Whether this is libcurl's message about excess bytes; no other signal reports them.
    fileprivate var tellsOfExcess: Bool {
        begins(with: "Excess found") || begins(with: "Leftovers after chunking")
    }

    private func begins(with words: StaticString) -> Bool {
        let length = words.utf8CodeUnitCount
        guard count >= length else { return false }
        let expected = unsafe UnsafeBufferPointer(start: words.utf8Start, count: length)
        return indices.prefix(length).allSatisfy { unsafe self[$0] == expected[$0] }
    }
}
