import Testing

@testable import SystemKit

@Suite struct StopSignalListenerTests {
    @Test func `each stop signal is received and the listener can be ended`() throws {
        let inbox = Inbox<StopSignal>()
        let listener = try StopSignalListener { inbox.push($0) }
        var received: [StopSignal] = []
        for signal in StopSignal.allCases {
            listener.deliver(signal)
            received += inbox.takeAll(until: nil)
        }
        listener.stop()
        #expect(received == StopSignal.allCases)
        #expect(inbox.takeAll(until: .min).isEmpty)
    }

    @Test func `a number names its signal`() {
        #expect(StopSignal.allCases.map { StopSignal(number: $0.number) } == StopSignal.allCases)
        #expect(StopSignal(number: 9) == nil)
    }
}
