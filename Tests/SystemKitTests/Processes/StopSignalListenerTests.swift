import Testing

@testable import SystemKit

@Suite struct StopSignalListenerTests {
    @Test func `each stop signal is received and the listener can be ended`() throws {
        let inbox = Inbox<StopSignal>()
        let listener = try StopSignalListener(
            receive: {
                inbox.push($0)
                return { true }
            },
            giveUp: { _ in }
        )
        var received: [StopSignal] = []
        for signal in StopSignal.allCases {
            listener.deliver(signal)
            received += inbox.takeAll(until: nil)
        }
        listener.stop()
        #expect(received == StopSignal.allCases)
        #expect(inbox.takeAll(until: .min).isEmpty)
    }

    @Test(arguments: [false, true])
    func `only an unheard second signal makes the listener give up`(isHeard: Bool) throws {
        let received = Inbox<StopSignal>()
        let given = Inbox<StopSignal>()
        let listener = try StopSignalListener(
            patience: .zero,
            receive: { signal in
                received.push(signal)
                return { isHeard }
            },
            giveUp: { given.push($0) }
        )
        for signal in [StopSignal.terminate, .interrupt] {
            listener.deliver(signal)
            #expect(received.takeAll(until: nil) == [signal])
        }
        if !isHeard { #expect(given.takeAll(until: nil) == [.interrupt]) }
        listener.stop()
        #expect(given.takeAll(until: .min).isEmpty)
    }

    @Test func `a number names its signal`() {
        #expect(StopSignal.allCases.map { StopSignal(number: $0.number) } == StopSignal.allCases)
        #expect(StopSignal(number: 9) == nil)
    }
}
