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
        // The port is held for a link that stalls for less than 200 ms. The delayed link of a test
        // is a process, which a machine under load lets wait for longer now and then.
        for _ in 0..<20 {
            let links = try TwoLinks(wiredDelay: 12)
            let seen = try sent(over: links, until: end)
            let isLate = try links.mostLateness() >= 100
            if !seen.isEmpty, isLate { continue }
            #expect(seen == "")
            return
        }
        Issue.record("the link was late each time")
    }

    /// The packets of a transfer that the forbidden link has seen, when the transfer is ended.
    private func sent(over links: TwoLinks, until end: End) throws -> String {
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
        permitted.signal(9)
        return try String(forbidden.finish().standardOutput.dropFirst("ready\n".count))
    }
}
