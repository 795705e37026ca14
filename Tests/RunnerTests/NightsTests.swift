import Synchronization
import TestSupport
import Testing
import TransferModel

/// A job of cron on the nights after the first.
@Suite struct NightsTests {
    /// A shop that wants a login each night and remembers the keys of orders.
    private func shop() throws -> ScriptedServer {
        let isOpen = Mutex(false)
        return try ScriptedServer { request in
            switch request.path {
            case "/login":
                guard request.text == "user=shop&password=Pq7-zz91" else { return .status(403) }
                isOpen.withLock { $0 = true }
                return .ok(#"{ "token": "t-1" }"#)
            case "/orders":
                let isKnown = request.headers["Authorization"] == "Bearer t-1"
                return .status(isKnown && isOpen.withLock { $0 } ? 201 : 401)
            default:
                return .ok("\(request.path), request \(request.earlierRequestsForPath)")
            }
        }
    }

    private func job(_ server: ScriptedServer) throws -> JobFolder {
        let order = """
            url: \(server.url("/orders")), needs: [login], \
            headers: { Authorization: 'Bearer ${task.login.token}' }
            """
        return try JobFolder(
            """
            version: 1
            secrets: { password: { env: SHOP_PASSWORD } }
            uploads:
              login:
                url: \(server.url("/login"))
                form: { user: shop, password: '${secret.password}' }
                capture: { token: { json: /token } }
              first: { \(order), json: { item: pizza }, idempotencyKey: auto }
              second: { \(order), json: { item: salad }, idempotencyKey: 'salad-${run.date}' }
            downloads:
              stock: { url: \(server.url("/stock.csv")), to: in/ }
              prices: { url: \(server.url("/prices.csv")), to: in/, needs: [first, second] }
            schedule: { lock: skip }
            report: { json: 'reports/${run.date}.json' }
            """
        )
    }

    @Test func `on three nights cron sends six orders and no mail`() throws {
        let server = try shop()
        let job = try job(server)
        let runner = try job.command(
            ["run", "job.yaml", "--progress", "failures"],
            environment: ["SHOP_PASSWORD": "Pq7-zz91"]
        )
        let nights = ["2026-02-27", "2026-02-28", "2026-03-01"]
        for night in nights {
            let outcome = try Command(
                "faketime",
                ["\(night) 02:00:00", runner.executable] + runner.arguments,
                environment: runner.environment,
                workingFolder: runner.workingFolder
            ).run()
            #expect(outcome.status == .exit(0))
            #expect(outcome.standardOutput + outcome.standardError == "")
        }
        let keys = server.requests(for: "/orders").compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 6 && Set(keys).count == 6, "\(keys)")
        #expect(keys.filter { $0.contains("salad") }.sorted() == nights.map { "\"salad-\($0)\"" })
        #expect(try job.folder.text("in/prices.csv") == "/prices.csv, request 2")
        #expect(try job.folder.list("reports").sorted() == nights.map { "\($0).json" })
    }
}
