import SystemKit
import TestSupport
import Testing

/// Packets that leave this machine after a transfer was ended; packets of `eth0` take 12 ms, and
/// the default route by `wwan0` is forbidden.
///
/// Few packets are under way: a run that has a deadline waits a second for them at most.
@Suite struct NetworkEndTests {
    /// The reason for which the runner ends a transfer.
    enum End: String, CaseIterable {
        case resourceTimeout
        case deadline
        case mimeType
        case signal

        var session: String {
            self == .resourceTimeout ? ", timeoutIntervalForResource: 500ms" : ""
        }

        var schedule: String { self == .deadline ? "schedule: { deadline: 500ms }" : "" }

        var task: String { self == .mimeType ? ", expect: { mimeType: application/zip }" : "" }
    }

    private static let classes = """
        version: 1
        network:
          interfaces:
            - { match: { name: "wwan*" }, kind: cellular }
            - { match: { name: "eth*" }, kind: wired, expensive: false }
        defaults: { urlCache: none, retry: { attempts: 1 } }

        """

    @Test(arguments: End.allCases)
    func `late packets of an ended transfer get no reply over a forbidden link`(
        end: End
    ) throws {
        let links = try TwoLinks(wiredDelay: 12)
        try links.ip("route add default via \(TwoLinks.wiredAddress) metric 900")
        try links.root.write("hello", to: "a")
        let sized = try Command("truncate", ["-s", "4G", links.root.path("file")]).run()
        #expect(sized.status == .exit(0))
        let url = TwoLinks.url("file", port: TwoLinks.sparePort)
        let job = try JobFolder(
            Self.classes + """
                sessions: { careful: { allowsCellularAccess: false\(end.session) } }
                \(end.schedule)
                downloads: { a: { url: "\(url)", to: file\(end.task) } }
                """
        )
        let forbidden = try links.packets(of: "wwan0")
        let permitted = try links.packets(of: "eth0")
        let running = try links.start(job)
        if end == .signal {
            try permitted.waitForResponse()
            running.signal(15)
        }
        let outcome = try running.finish()
        #expect(outcome.status != .exit(0))
        // The link keeps the order of packets: earlier packets have arrived before this response.
        let next = try JobFolder(
            Self.classes
                + "data: { a: { url: \"\(TwoLinks.url("a", at: TwoLinks.wiredAddress))\" } }"
        )
        #expect(try links.run(next).code == 0)
        let seen = try forbidden.finish().standardOutput
        #expect(seen == "ready\n", "\(seen)")
        permitted.signal(9)
    }
}
