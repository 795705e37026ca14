internal import Glibc
internal import SystemKit

/// Holds the port of a closed connection until its peer is quiet.
///
/// The kernel forgets with a socket the interface that it was bound to. Segments that arrive later
/// belong to no socket, and the kernel answers each with a reset by its default route, which a
/// policy may forbid. A guard is a second socket with the address, the port and the interface of
/// the connection. It drops the late segments and accepts no connection.
final class PortGuard {
    /// A guard's reaction to late segments.
    enum Manner {
        /// Resets leave by the interface with that number; a peer that missed the first reset gets
        /// another.
        case answers(by: Int32)
        /// Nothing is sent.
        case isSilent
    }

    /// The longest wait for a peer, in nanoseconds.
    private static let mostNanoseconds: Int64 = 5_000_000_000
    /// The wait for a peer that has never answered, in nanoseconds.
    private static let unansweredNanoseconds: Int64 = 1_000_000_000
    /// The longest pause between checks, in nanoseconds.
    private static let longestPause: Int64 = 2_000_000_000
    /// The shortest pause: the time in which this machine delivers a segment.
    private static let shortestPause: Int64 = 20_000_000
    /// The shortest pause for a peer that is sending.
    ///
    /// A link that stalls for a moment hands on the rest within that time, and most peers send a
    /// lost segment again (TCP_RTO_MIN of Linux).
    private static let retransmission: Int64 = 200_000_000

    private let descriptor: Int32
    private let family: sa_family_t
    /// Whether a peer that continues gets another reset.
    private let mayAnswer: Bool
    private var isAnswering = false
    /// The quiet time that ends the guard.
    private var pause: Int64
    private let end: Int64
    /// The segments that the kernel had dropped by the last check.
    private var drops: UInt32 = 0
    /// The time of the next check, in nanoseconds of the monotonic clock.
    private(set) var nextCheck: Int64

    /// Guards the port of a connection whose socket is about to be reset.
    ///
    /// nil when no guard is needed, because the peer has ended its side or never answered, and when
    /// the kernel has no socket left.
    convenience init?(of socket: Int32, _ state: ConnectionState, _ manner: Manner) {
        guard state.mayHearMore else { return nil }
        let mayAnswer = if case .answers = manner { true } else { false }
        // An unanswered connection can receive only one segment, which needs an answer.
        let isSilent = !mayAnswer || !state.isUnanswered
        guard let opened = Self.open(beside: socket, manner, isSilent: isSilent) else { return nil }
        let roundTrips = min(2 * state.roundTripMicroseconds * 1000, Self.longestPause)
        let shortest = state.isReceiving ? Self.retransmission : Self.shortestPause
        self.init(
            opened.descriptor,
            family: opened.family,
            mayAnswer: mayAnswer && isSilent,
            pause: state.isUnanswered
                ? Self.unansweredNanoseconds : roundTrips + shortest
        )
    }

    /// Adopts a datagram socket and keeps it open.
    convenience init(ofDatagrams socket: Int32) {
        SocketOptions.set(socket, SOL_SOCKET, SO_RCVBUF, 0)
        self.init(socket, family: 0, mayAnswer: false, pause: Self.unansweredNanoseconds)
    }

    private init(_ descriptor: Int32, family: sa_family_t, mayAnswer: Bool, pause: Int64) {
        self.descriptor = descriptor
        self.family = family
        self.mayAnswer = mayAnswer
        self.pause = pause
        let now = Clock.monotonicNanoseconds()
        nextCheck = now + pause
        end = now + Self.mostNanoseconds
    }

    deinit { close(descriptor) }

    /// Whether the guard may end: nothing arrived for two round trips, or its time is over.
    func isDone(at now: Int64) -> Bool {
        guard now >= nextCheck else { return false }
        let found = Self.drops(of: descriptor)
        if now >= end || found == drops && !isAnswering { return true }
        drops = found
        pause = max(pause, Self.retransmission)
        nextCheck = min(now + pause, end)
        // Late segments are dropped and answered in turns, because only dropped ones are counted.
        if mayAnswer {
            isAnswering.toggle()
            _ = Self.setSilent(descriptor, !isAnswering, family: family)
        }
        return false
    }

    /// Opens a socket with the address and port of another socket.
    private static func open(
        beside other: Int32,
        _ manner: Manner,
        isSilent: Bool
    ) -> (descriptor: Int32, family: sa_family_t)? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe getsockname(
                other,
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                &size
            )
        }
        guard code == 0 else { return nil }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let opened = socket(Int32(address.ss_family), type, 0)
        guard opened >= 0 else { return nil }
        // Both sockets must permit sharing the port.
        var isReady =
            SocketOptions.set(other, SOL_SOCKET, SO_REUSEADDR, 1)
            && SocketOptions.set(opened, SOL_SOCKET, SO_REUSEADDR, 1)
        if case .answers(let interface) = manner {
            isReady = isReady && SocketOptions.bind(opened, toInterface: interface)
        }
        isReady = isReady && (!isSilent || setSilent(opened, true, family: address.ss_family))
        let bound = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bind(opened, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
        if isReady, bound == 0, listen(opened, 1) == 0 { return (opened, address.ss_family) }
        close(opened)
        return nil
    }

    /// Makes a socket drop segments that passed a router (RFC 5082), or stops that; false when the
    /// kernel refuses.
    ///
    /// A packet that passed a router never has a time to live of 255, and few systems send that
    /// value.
    private static func setSilent(_ socket: Int32, _ isSilent: Bool, family: sa_family_t) -> Bool {
        let least: Int32 = isSilent ? 255 : 0
        let isSet = SocketOptions.set(socket, Int32(IPPROTO_IP), minimumTimeToLive, least)
        guard Int32(family) == AF_INET6 else { return isSet }
        return SocketOptions.set(socket, Int32(IPPROTO_IPV6), minimumHopCount, least)
    }

    /// IP_MINTTL of `<linux/in.h>`.
    private static let minimumTimeToLive: Int32 = 21
    /// IPV6_MINHOPCOUNT of `<linux/in6.h>`.
    private static let minimumHopCount: Int32 = 73
    /// SO_MEMINFO of `<asm-generic/socket.h>`, and the index of the drops in its result.
    private static let memory: (option: Int32, drops: Int) = (55, 8)

    /// The packets that the kernel dropped for a socket (SO_MEMINFO, since Linux 4.12); 0 if
    /// unknown.
    private static func drops(of socket: Int32) -> UInt32 {
        var words = [UInt32](repeating: 0, count: 16)
        var size = socklen_t(words.count * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(socket, SOL_SOCKET, memory.option, &words, &size) == 0 else {
            return 0
        }
        return words[memory.drops]
    }
}

/// The kernel's state of a TCP connection (TCP_INFO of tcp(7)).
struct ConnectionState {
    /// A state number of `<netinet/tcp.h>`.
    private let state: UInt8
    private let unacknowledged: UInt32
    private let silentMilliseconds: UInt32
    private let unread: Int32
    /// The longer of the round-trip times measured in the two directions.
    let roundTripMicroseconds: Int64

    /// nil for a socket of another type.
    init?(of socket: Int32) {
        var bytes = [UInt8](repeating: 0, count: 104)
        var size = socklen_t(bytes.count)
        guard unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &bytes, &size) == 0,
            Int(size) == bytes.count
        else { return nil }
        func word(_ offset: Int) -> UInt32 {
            unsafe bytes.withUnsafeBytes { unsafe $0.load(fromByteOffset: offset, as: UInt32.self) }
        }
        state = bytes[0]
        unacknowledged = word(24)
        silentMilliseconds = min(word(52), word(56))
        roundTripMicroseconds = Int64(max(word(68), word(92)))
        var unread: Int32 = 0
        _ = unsafe ioctl(socket, UInt(FIONREAD), &unread)
        self.unread = unread
    }

    /// Whether the peer has not answered the connection request.
    var isUnanswered: Bool { state == 2 }

    /// Whether neither side has begun to end the connection.
    var isEstablished: Bool { state == 1 }

    /// Whether the peer may still send: true unless the connection is closed or its end has been
    /// read.
    var mayHearMore: Bool {
        switch state {
        case 7: false
        case 8, 9: unread > 0
        // After such a silence on both sides no segment is in transit.
        default: !isQuiet
        }
    }

    /// Whether the peer has sent more than was read.
    var isReceiving: Bool { unread > 0 }

    /// Whether to reset the connection instead of closing it, because the peer could answer a
    /// close.
    var isToBeReset: Bool { ![7, 8, 9].contains(state) || unread > 0 }

    private var isQuiet: Bool {
        state == 1 && unread == 0 && unacknowledged == 0
            && Int64(silentMilliseconds) * 1000 > 2 * roundTripMicroseconds + 20_000
    }
}
