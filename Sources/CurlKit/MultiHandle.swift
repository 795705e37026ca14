internal import CCurl
package import SystemKit

/// Many easy handles that share connections: one libcurl multi handle, driven by somebody's event
/// loop.
///
/// Belongs to one thread. Connections are never shared between two multi handles.
@safe package final class MultiHandle {
    /// What the event loop does for a multi handle.
    package protocol Driver: AnyObject {
        /// Call `timeoutAction` after so many milliseconds; nil means there is nothing to wait for
        /// (`CURLMOPT_TIMERFUNCTION`).
        func multi(_ tag: Int, setTimer milliseconds: Int?)
        /// libcurl has lost interest in the socket of a handle; only while `tellsOfDroppedSockets`
        /// is set.
        func multi(_ tag: Int, didDropSocketOf handle: EasyHandle)
    }

    /// The number by which the driver knows this handle.
    package let tag: Int
    /// Whether the driver hears when a handle has no socket any more to wait for, which costs
    /// something with each transfer: a paused body with a connection that has ended shows in
    /// nothing else.
    package var tellsOfDroppedSockets = false
    private weak var driver: (any Driver)?
    /// Its sockets (`CURLMOPT_SOCKETFUNCTION`); held, because connections are closed last.
    private let sockets: SocketTable
    private let pointer: UnsafeMutableRawPointer
    /// Those that have lost a socket while they were connecting.
    ///
    /// libcurl before its version 8.4 turns to the next address of a host when it looks at the
    /// handle again, and waits for no socket and no time to do so.
    private var turning: [EasyHandle] = []
    /// By the address of libcurl's handle.
    private var handles: [UInt: EasyHandle] = [:]

    /// Makes a multi handle.
    ///
    /// - Parameters:
    ///   - tag: Handed to the driver with each call.
    ///   - driver: Held weakly.
    ///   - sockets: What watches its sockets.
    ///   - idleConnections: How many connections are kept for reuse (`CURLMOPT_MAXCONNECTS`).
    ///   - connectionsPerHost: `CURLMOPT_MAX_HOST_CONNECTIONS`.
    /// - Throws: `CURLE_FAILED_INIT` without memory.
    package init(
        tag: Int,
        driver: any Driver,
        sockets: SocketTable,
        idleConnections: Int,
        connectionsPerHost: Int
    ) throws(CurlCode) {
        guard let pointer = unsafe ccurl_multi_init() else { throw CurlCode(CURLE_FAILED_INIT) }
        unsafe self.pointer = unsafe pointer
        self.tag = tag
        self.driver = driver
        self.sockets = sockets
        let user = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, idleConnections)
        unsafe ccurl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        unsafe ccurl_multi_set_socket(pointer, socketCallback, user)
        unsafe ccurl_multi_set_timer(pointer, timerCallback, user)
    }

    deinit {
        for handle in handles.values { unsafe ccurl_multi_remove(pointer, handle.pointer) }
        unsafe ccurl_multi_cleanup(pointer)
    }

    /// Starts the exchange that the handle was prepared for.
    package func add(_ handle: EasyHandle) throws(CurlCode) {
        guard unsafe ccurl_multi_add(pointer, handle.pointer) == CURLM_OK else {
            throw CurlCode(CURLE_FAILED_INIT)
        }
        handle.watchedSocket = nil
        handle.setConnecting(false)
        unsafe handles[UInt(bitPattern: handle.pointer)] = handle
    }

    /// Takes a handle out, whether it is done or not.
    package func remove(_ handle: EasyHandle) {
        unsafe ccurl_multi_remove(pointer, handle.pointer)
        handle.setConnecting(false)
        unsafe handles[UInt(bitPattern: handle.pointer)] = nil
    }

    /// Lets libcurl work on a socket that is ready.
    package func socketAction(_ socket: Int32, ready: EventPoll.Interest) {
        var events: Int32 = 0
        if ready.contains(.readable) { events |= CURL_CSELECT_IN }
        if ready.contains(.writable) { events |= CURL_CSELECT_OUT }
        if ready.contains(.failed) { events |= CURL_CSELECT_ERR }
        unsafe ccurl_multi_socket_action(pointer, socket, events)
        if !turning.isEmpty { wakeTurning() }
    }

    /// Lets libcurl do what its timer was set for.
    package func timeoutAction() {
        unsafe ccurl_multi_timeout_action(pointer)
        if !turning.isEmpty { wakeTurning() }
    }

    /// Has libcurl go on with those that are still connecting.
    private func wakeTurning() {
        for handle in turning where handle.isConnecting { handle.wake() }
        turning.removeAll(keepingCapacity: true)
    }

    /// The next handle whose exchange has ended, and how; it stays in until it is removed.
    package func nextDone() -> (handle: EasyHandle, result: CurlCode)? {
        var code = CURLE_OK
        while let done = unsafe ccurl_multi_next_done(pointer, &code) {
            if let handle = handles[UInt(bitPattern: done)] { return (handle, CurlCode(code)) }
        }
        return nil
    }

    /// Tells of a handle that has no socket any more; one that goes on over another connection has
    /// that one.
    fileprivate func noteSocket(_ socket: Int32, what: Int32, of easy: UnsafeMutableRawPointer?) {
        guard tellsOfDroppedSockets || sockets.connectingCount > 0,
            let handle = handles[UInt(bitPattern: easy)]
        else { return }
        if what == CURL_POLL_REMOVE, handle.isConnecting,
            handle.openings.contains(where: { $0.socket == socket })
        {
            turning.append(handle)
        }
        guard tellsOfDroppedSockets else { return }
        guard what == CURL_POLL_REMOVE else {
            handle.watchedSocket = socket
            return
        }
        guard (handle.watchedSocket ?? socket) == socket else { return }
        handle.watchedSocket = nil
        driver?.multi(tag, didDropSocketOf: handle)
    }

    fileprivate func watch(_ socket: Int32, what: Int32) {
        let interest: EventPoll.Interest? =
            switch what {
            case CURL_POLL_IN: .readable
            case CURL_POLL_OUT: .writable
            case CURL_POLL_INOUT: [.readable, .writable]
            default: nil
            }
        sockets.watch(socket, for: interest, tag: tag)
    }

    fileprivate func setTimer(milliseconds: Int) {
        driver?.multi(tag, setTimer: milliseconds < 0 ? nil : milliseconds)
    }
}

private func multi(_ user: UnsafeMutableRawPointer?, _ body: (MultiHandle) -> Void) {
    guard let user = unsafe user else { return }
    unsafe Unmanaged<MultiHandle>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}

private let socketCallback: ccurl_socket_fn = { easy, socket, what, user, _ in
    unsafe multi(user) { multi in
        multi.watch(socket, what: what)
        unsafe multi.noteSocket(socket, what: what, of: easy)
    }
    return 0
}

private let timerCallback: ccurl_timer_fn = { _, milliseconds, user in
    unsafe multi(user) { $0.setTimer(milliseconds: milliseconds) }
    return 0
}
