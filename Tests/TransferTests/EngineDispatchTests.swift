import Testing
import TransferModel

@testable import Transfer

@Suite struct EngineDispatchTests {
    private func dispatch(limit: Int, threads: Int = 2) -> EngineDispatch {
        var session = SessionConfiguration(name: "s")
        session.httpMaximumConnectionsPerHost = limit
        return EngineDispatch(sessions: [session], threadCount: threads)
    }

    @Test(arguments: [1, 2, 3, 6, 7], [1, 2, 3])
    func `no thread gets more of a host than its share`(limit: Int, threads: Int) throws {
        var dispatch = dispatch(limit: limit, threads: threads)
        var counts = Array(repeating: 0, count: threads)
        for key in 0..<limit {
            counts[
                dispatch.place(key, session: 0, origin: try TransferURL("http://a.test/").origin)
            ] +=
                1
        }
        for thread in 0..<threads {
            #expect(counts[thread] == EngineShare(index: thread, count: threads).part(of: limit))
        }
        #expect(counts.reduce(0, +) == limit)
    }

    @Test func `sessions with negotiate have a thread, and all of its connections, for themselves`()
        throws
    {
        var other = SessionConfiguration(name: "other")
        other.httpMaximumConnectionsPerHost = 2
        var session = other
        session.credentials = [
            Credential(
                space: ProtectionSpace(scope: .host("a.test"), realm: nil),
                proof: .negotiate
            )
        ]
        var dispatch = EngineDispatch(sessions: [other, session], threadCount: 2)
        let origin = try TransferURL("https://a.test/").origin
        let places = (0..<8).map { dispatch.place($0, session: $0 % 2, origin: origin) }
        #expect(places == [0, 2, 1, 2, 0, 2, 1, 2])
        #expect(dispatch.shares.map { $0.part(of: 2) } == [1, 1, 2])
        let numbers = dispatch.shares.flatMap { share in (0..<3).map(share.number) }
        #expect(numbers.sorted() == Array(1...9))
    }

    @Test func `a thread without connections gets nothing, however many attempts there are`() throws
    {
        var dispatch = dispatch(limit: 1)
        let origin = try TransferURL("https://a.test/").origin
        for key in 0..<100 { #expect(dispatch.place(key, session: 0, origin: origin) == 0) }
    }

    @Test func `the place of a finished attempt is reused`() throws {
        var dispatch = dispatch(limit: 2)
        let first = dispatch.place(0, session: 0, origin: try TransferURL("http://a.test/").origin)
        let second = dispatch.place(1, session: 0, origin: try TransferURL("http://a.test/").origin)
        #expect(first != second)
        let result = AttemptResult(
            key: 0,
            startTime: .now,
            endTime: .now,
            currentRequest: .init(method: "GET", url: "", headers: HeaderFields())
        )
        #expect(dispatch.pass([.finished(result)]).count == 1)
        #expect(dispatch.thread(of: 0) == nil)
        #expect(dispatch.thread(of: 1) == second)
        #expect(
            dispatch.place(2, session: 0, origin: try TransferURL("http://a.test/").origin) == first
        )
    }

    @Test func `hosts are counted apart`() throws {
        var dispatch = dispatch(limit: 1)
        #expect(
            dispatch.place(0, session: 0, origin: try TransferURL("http://a.test/").origin) == 0
        )
        #expect(
            dispatch.place(1, session: 0, origin: try TransferURL("http://b.test/").origin) == 0
        )
    }

    @Test func `the threads' answers on progress are merged`() throws {
        var dispatch = dispatch(limit: 2)
        let one = AttemptProgress(
            key: 1,
            countOfBytesSent: 0,
            countOfBytesReceived: 5,
            countOfBytesExpected: nil
        )
        let two = AttemptProgress(
            key: 2,
            countOfBytesSent: 0,
            countOfBytesReceived: 6,
            countOfBytesExpected: nil
        )
        dispatch.beginProgress()
        #expect(dispatch.pass([.progress([one])]).isEmpty)
        let passed = dispatch.pass([.progress([two])])
        guard case .progress(let all)? = passed.first else {
            Issue.record("no progress was passed on")
            return
        }
        #expect(all == [one, two])
    }
}
