import Glibc
import SystemKit

/// A private network with two links, `eth0` and `wwan0`, to one server; removed when released.
///
/// It uses a user namespace, so that every user can create it. The server's own address, `address`,
/// is reached over `wwan0`: its default route has the smallest metric.
package final class TwoLinks: Sendable {
    /// Served at `/`, and at `/slow/` with 2 MiB/s after the first 64 KiB.
    ///
    /// Over `eth0`, `/held/` sends the first 64 KiB and then 64 KiB/s, so that a test has time to
    /// cut a longer file; from elsewhere it sends the rest at once.
    /// `/ticket` asks for a Kerberos ticket. `/away` redirects to `/a` of `name`.
    package let root: TemporaryFolder
    private let state: TemporaryFolder
    private let process: Lock<RunningCommand>
    private let client: String
    private let server: String

    /// The server's end of `eth0`.
    package static let wiredAddress = "10.1.0.1"
    /// The server's end of `wwan0`.
    package static let cellularAddress = "10.2.0.1"
    /// An address of the server on neither link.
    package static let address = "10.9.0.1"
    /// This end of `wwan0`.
    package static let ownAddress = "10.2.0.2"
    /// The same addresses in IPv6.
    package static let wiredAddress6 = "fd00:1::1"
    /// The server's end of `wwan0` in IPv6.
    package static let cellularAddress6 = "fd00:2::1"
    /// An address of the server on neither link, in IPv6.
    package static let address6 = "fd00:9::1"
    /// The server's link-local address on `eth0`.
    package static let wiredLinkAddress = "fe80::1:1"
    /// The server's link-local address on `wwan0`.
    package static let cellularLinkAddress = "fe80::2:1"
    /// A name for `address`.
    package static let name = "far.test"
    /// A name for `address` and `address6`.
    package static let bothName = "both.test"
    /// nginx listens at all of these addresses.
    package static let port = 8080
    /// As `port`, with less than 200 KB on its way to a client at any time.
    package static let sparePort = 8081

    /// Creates the links and starts nginx at their other end.
    ///
    /// - Parameter wiredDelay: The delay of packets on `eth0` in each direction, milliseconds.
    /// - Throws: `MissingTool` without util-linux, iproute2, nginx or permission for user
    ///   namespaces.
    package init(wiredDelay: Int = 0) throws {
        root = try TemporaryFolder()
        state = try TemporaryFolder()
        try state.write(
            """
            127.0.0.1 localhost
            \(Self.address) \(Self.name) \(Self.bothName)
            \(Self.address6) \(Self.bothName)

            """,
            to: "hosts"
        )
        try state.write(Self.configuration(root: root.path, state: state.path), to: "nginx.conf")
        let words = [state.path, "\(wiredDelay)", ServerScript.path("packet-delay.py")]
        let script = Command("unshare", ["-Urnm", "sh", "-c", Self.script, "sh"] + words)
        let running = try script.start()
        let found: [Substring]
        do {
            found = try running.waitForLine(containing: "ready").split(separator: " ")
        } catch {
            throw MissingTool("unshare", running.standardError)
        }
        guard found.count == 3 else { throw MissingTool("unshare", "it did not say where") }
        client = String(found[1])
        server = String(found[2])
        process = Lock(running)
    }

    deinit {
        _ = process.withLock { try? $0.finish() }
    }

    private static let script = """
        set -e
        PATH=$PATH:/usr/sbin:/sbin
        exec 3<&0 0</dev/null
        ip link set lo up
        mount --bind "$1/hosts" /etc/hosts
        unshare -n sleep infinity &
        server=$!
        trap 'kill $server $nginx $delay 2>/dev/null' EXIT
        until [ "$(readlink /proc/$server/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do
            kill -0 $server
        done
        there() { nsenter -t $server -n "$@"; }
        if [ "$2" -gt 0 ]; then
            ip link add eth0 type veth peer name near netns $server
            there ip link add far type veth peer name left
            there ip link set near up
            there ip link set far up
            nsenter -t $server -n python3 "$3" near far "$2" > "$1/delay" &
            delay=$!
            until [ -s "$1/delay" ]; do kill -0 $delay; done
        else
            ip link add eth0 type veth peer name left netns $server
        fi
        ip link add wwan0 type veth peer name right netns $server
        there ip link set lo up
        there ip address add \(address)/32 dev lo
        there ip address add \(wiredAddress)/24 dev left
        there ip address add \(cellularAddress)/24 dev right
        there ip address add \(address6)/128 dev lo
        there ip address add \(wiredAddress6)/64 dev left nodad
        there ip address add \(cellularAddress6)/64 dev right nodad
        there ip link set left addrgenmode none up
        there ip link set right addrgenmode none up
        there ip address add \(wiredLinkAddress)/64 dev left nodad
        there ip address add \(cellularLinkAddress)/64 dev right nodad
        ip address add 10.1.0.2/24 dev eth0
        ip address add 10.2.0.2/24 dev wwan0
        ip address add fd00:1::2/64 dev eth0 nodad
        ip address add fd00:2::2/64 dev wwan0 nodad
        ip link set eth0 addrgenmode none up
        ip link set wwan0 addrgenmode none up
        ip address add fe80::1:2/64 dev eth0 nodad
        ip address add fe80::2:2/64 dev wwan0 nodad
        ip route add default via \(cellularAddress) metric 50
        ip -6 route add default via \(cellularAddress6) metric 50
        nsenter -t $server -n nginx -e "$1/error.log" -p "$1" -c "$1/nginx.conf" &
        nginx=$!
        until there ss -ltn | grep -q ':\(port) '; do kill -0 $nginx; done
        # The kernel tells of a carrier some time after it is there.
        for link in eth0 wwan0; do
            until ip link show dev $link | grep -q 'state UP'; do :; done
        done
        echo "ready $$ $server"
        read -r _ <&3 || true
        """

    /// The URL of a file at one of the server's addresses.
    package static func url(
        _ path: String,
        at address: String = address,
        port: Int = port
    ) -> String {
        "http://\(address):\(port)/\(path)"
    }

    private static func configuration(root: String, state: String) -> String {
        """
        daemon off;
        master_process off;
        user root root;
        pid \(state)/nginx.pid;
        error_log \(state)/error.log;
        events { worker_connections 256; }
        http {
            \(NginxConfiguration.temporaryFolders(in: state))
            access_log off;
            map $remote_addr $rate {
                10.1.0.2 64k;
                10.50.0.1 64k;
                default 0;
            }
            server {
                listen \(port);
                listen [::]:\(port);
                listen \(sparePort) sndbuf=64k;
                root \(root);
                location = /ticket {
                    add_header WWW-Authenticate Negotiate always;
                    return 401;
                }
                location = /away { return 302 http://\(name):\(port)/a; }
                location /slow/ {
                    alias \(root)/;
                    limit_rate 2m;
                    limit_rate_after 64k;
                }
                location /held/ {
                    alias \(root)/;
                    limit_rate $rate;
                    limit_rate_after 64k;
                }
            }
        }

        """
    }

    /// Runs a command of ip(8) on this side, with all privileges.
    package func ip(_ arguments: String) throws { _ = try tool("ip", arguments, at: client) }

    /// Runs a command of ip(8) on the other side.
    package func ipThere(_ arguments: String) throws { _ = try tool("ip", arguments, at: server) }

    /// The most milliseconds that a packet on a delayed `eth0` has come too late.
    package func mostLateness() throws -> Int {
        let lines = try state.text("delay").split(separator: "\n")
        return lines.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// The output of ss(8) for this side's sockets.
    package func sockets(_ arguments: String) throws -> String {
        try tool("ss", arguments, at: client)
    }

    private func tool(_ name: String, _ arguments: String, at side: String) throws -> String {
        let words = arguments.split(separator: " ").map(String.init)
        let command = inside(side, ["env", "PATH=/usr/sbin:/sbin:/usr/bin:/bin", name] + words)
        let outcome = try command.run()
        guard outcome.status == .exit(0) else { throw MissingTool(name, outcome.standardError) }
        return outcome.standardOutput
    }

    /// Shows a folder as sysfs's batteries and chargers on this side.
    package func showPowerSupplies(of folder: TemporaryFolder) throws {
        let words = ["mount", "--rbind", folder.path, "/sys/class/power_supply"]
        let outcome = try inside(client, words).run()
        guard outcome.status == .exit(0) else { throw MissingTool("mount", outcome.standardError) }
    }

    /// Creates a fake system bus that exists but does not work.
    package func showBus() throws {
        let socket = "/run/dbus/system_bus_socket"
        let script = "mount -t tmpfs bus /run && mkdir /run/dbus && : > \(socket)"
        let outcome = try inside(client, ["sh", "-c", script]).run()
        guard outcome.status == .exit(0) else { throw MissingTool("mount", outcome.standardError) }
    }

    /// The command on this side with an ordinary user's rights.
    package func unprivileged(_ command: Command) -> Command {
        let drop = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
        var result = inside(client, drop + [command.executable] + command.arguments)
        result.environment = command.environment
        result.workingFolder = command.workingFolder
        return result
    }

    /// The command without permission to bind sockets to interfaces, as before Linux 5.7, or only
    /// without permission for some of the calls.
    package func withoutBinding(
        _ command: Command,
        by calls: [RefusedCall] = [.bindToName, .bindToIndex]
    ) -> Command {
        unprivileged(command.refusing(calls, with: "EPERM"))
    }

    /// Starts to capture packets of an interface on this side; the lines are those of
    /// `packet-log.py`.
    package func packets(of interface: String) throws -> RunningCommand {
        try start(client, "packet-log.py", [interface])
    }

    /// Starts a server on the other side that speaks Multipath TCP.
    package func multipathServer(port: Int) throws -> RunningCommand {
        try start(server, "multipath-server.py", ["\(port)"])
    }

    /// Starts a server on the other side that reads uploads slowly; the lines are those of
    /// `slow-upload-server.py`.
    package func slowUploadServer(port: Int) throws -> RunningCommand {
        try start(server, "slow-upload-server.py", ["0.0.0.0", "\(port)"])
    }

    /// Starts a server on the other side that never answers.
    package func silentServer(port: Int) throws -> RunningCommand {
        let program = """
            import socket, sys
            server = socket.create_server(("0.0.0.0", \(port)))
            print("ready", flush=True)
            sys.stdin.read()
            """
        return try ready(try inside(server, ["python3", "-c", program]).start())
    }

    /// Starts a server for `root` on this side, at its own address on `wwan0`.
    package func ownServer(port: Int) throws -> RunningCommand {
        let words = ["python3", "-u", "-m", "http.server", "\(port)", "--bind", Self.ownAddress]
        let running = try inside(client, words + ["--directory", root.path]).start()
        do {
            _ = try running.waitForLine(containing: "Serving")
        } catch {
            throw MissingTool("python3", running.standardError)
        }
        return running
    }

    private func start(
        _ side: String,
        _ name: String,
        _ arguments: [String]
    ) throws -> RunningCommand {
        try ready(try inside(side, ["python3", ServerScript.path(name)] + arguments).start())
    }

    private func ready(_ running: RunningCommand) throws -> RunningCommand {
        do {
            _ = try running.waitForLine(containing: "ready")
        } catch {
            throw MissingTool("python3", running.standardError)
        }
        return running
    }

    private func inside(_ process: String, _ command: [String]) -> Command {
        Command(
            "nsenter",
            [
                "--target", process, "--user", "--net", "--mount", "--wd=.",
                "--preserve-credentials", "--",
            ]
                + command
        )
    }
}

extension RunningCommand {
    /// Waits until this log of packets shows the first bytes of a response.
    ///
    /// Before them, a client may not know yet that it has a connection.
    package func waitForResponse() throws { _ = try waitForLine(containing: "data") }
}
