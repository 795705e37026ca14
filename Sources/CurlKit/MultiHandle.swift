internal import CCurl
package import SystemKit

/// A libcurl multi handle: easy handles that share connections, driven by an event loop.
///
/// Belongs to one thread. Multi handles never share connections.
@safe package final class MultiHandle {
    /// The event loop's part in a multi handle.
    package protocol Driver: AnyObject {
        /// Calls `timeoutAction` after that many milliseconds; nil cancels the timer
        /// (`CURLMOPT_TIMERFUNCTION`).
        func multi(_ tag: Int, setTimer milliseconds: Int?)
        /// libcurl stopped waiting for a handle's socket; called only while `tellsOfDroppedSockets`
        /// is set.
        func multi(_ tag: Int, didDropSocketOf handle: EasyHandle)
    }

    /// The driver's number for this handle.
    package let tag: Int
    /// Whether to report a handle without a socket to wait for, at some cost for each transfer:
    /// only this reveals the end of a paused body's connection.
    package var tellsOfDroppedSockets = false
    private weak var driver: (any Driver)?
    /// Its sockets (`CURLMOPT_SOCKETFUNCTION`); retained, because connections are closed last.
    private let sockets: SocketTable
    private let pointer: UnsafeMutableRawPointer
    /// Handles that lost a socket while connecting.
    ///
    /// libcurl before 8.4 tries the next address of a host only when it processes the handle again,
    /// but waits for no socket or time to do so.
    private var turning: [EasyHandle] = []
    /// By the address of libcurl's handle.
    private var handles: [UInt: EasyHandle] = [:]

    /// Makes a multi handle.
    ///
    /// - Parameters:
    ///   - tag: Passed to the driver with each call.
    ///   - driver: Held weakly.
    ///   - sockets: The table that watches its sockets.
    ///   - idleConnections: The number of connections kept for reuse (`CURLMOPT_MAXCONNECTS`).
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

    /// Starts the exchange that the handle is prepared for.
    package func add(_ handle: EasyHandle) throws(CurlCode) {
        let code = sockets.call { unsafe ccurl_multi_add(pointer, handle.pointer) }
        guard code == CURLM_OK else { throw CurlCode(CURLE_FAILED_INIT) }
        handle.watchedSocket = nil
        handle.startTime = Clock.monotonicNanoseconds()
        handle.setConnecting(false)
        unsafe handles[UInt(bitPattern: handle.pointer)] = handle
    }

    /// Removes a handle, finished or not.
    package func remove(_ handle: EasyHandle) {
        sockets.call { _ = unsafe ccurl_multi_remove(pointer, handle.pointer) }
        handle.setConnecting(false)
        unsafe handles[UInt(bitPattern: handle.pointer)] = nil
    }

    /// Lets libcurl process a ready socket.
    package func socketAction(_ socket: Int32, ready: EventPoll.Interest) {
        var events: Int32 = 0
        if ready.contains(.readable) { events |= CURL_CSELECT_IN }
        if ready.contains(.writable) { events |= CURL_CSELECT_OUT }
        if ready.contains(.failed) { events |= CURL_CSELECT_ERR }
        sockets.call {
            unsafe ccurl_multi_socket_action(pointer, socket, events)
            if !turning.isEmpty { wakeTurning() }
        }
    }

    /// Lets libcurl read a reply of FTP that it does not wait for; false if the socket is not for
    /// the commands of a transfer.
    ///
    /// From the opening of the connection for the file to the end of its handshake, libcurl before
    /// 8.0 waits for that connection alone, though servers shake hands only after further replies.
    package func readReply(on socket: Int32) -> Bool {
        guard let handle = handles.values.first(where: { $0.control?.socket == socket }),
            let file = handle.newestOpening
        else { return false }
        // Without an event, libcurl looks at all sockets of the transfer.
        socketAction(file.socket, ready: [])
        return true
    }

    /// Lets libcurl process its timer.
    package func timeoutAction() {
        sockets.call {
            unsafe ccurl_multi_timeout_action(pointer)
            if !turning.isEmpty { wakeTurning() }
        }
    }

    /// Lets libcurl continue the handles that are still connecting.
    private func wakeTurning() {
        for handle in turning where handle.isConnecting { handle.wake() }
        turning.removeAll(keepingCapacity: true)
    }

    /// The next handle whose exchange has ended, and its result; it stays until it is removed.
    package func nextDone() -> (handle: EasyHandle, result: CurlCode)? {
        var code = CURLE_OK
        while let done = unsafe ccurl_multi_next_done(pointer, &code) {
            if let handle = handles[UInt(bitPattern: done)] { return (handle, CurlCode(code)) }
        }
        return nil
    }

    /// Reports a handle without a socket; a handle that moved to another connection has one.
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
