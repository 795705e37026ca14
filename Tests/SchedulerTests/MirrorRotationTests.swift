import Testing

@testable import Scheduler

@Suite struct MirrorRotationTests {
    @Test func `each mirror is requested once, in order, before any URL is retried`() {
        var rotation = MirrorRotation(mirrors: 2)
        #expect(rotation.current == 0)
        #expect(rotation.moveOn(canRecover: true) == .untried)
        #expect(rotation.current == 1 && rotation.isFirstTry)
        #expect(rotation.moveOn(canRecover: true) == .untried)
        #expect(rotation.current == 2 && rotation.isFirstTry)
        #expect(rotation.moveOn(canRecover: true) == .again)
        #expect(rotation.current == 0 && !rotation.isFirstTry)
        #expect(rotation.moveOn(canRecover: true) == .again)
        #expect(rotation.current == 1)
    }

    @Test func `a URL with a permanent failure is not requested again`() {
        var rotation = MirrorRotation(mirrors: 2)
        #expect(rotation.moveOn(canRecover: false) == .untried)
        #expect(rotation.moveOn(canRecover: true) == .untried)
        #expect(rotation.moveOn(canRecover: false) == .again)
        #expect(rotation.current == 1)
        #expect(rotation.moveOn(canRecover: true) == .again)
        #expect(rotation.current == 1)
        #expect(rotation.moveOn(canRecover: false) == .none)
    }

    @Test func `the first URL that has not refused comes again before mirrors`() {
        var rotation = MirrorRotation(mirrors: 2)
        #expect(rotation.moveOn(canRecover: false) == .untried)
        rotation.returnToFirst()
        #expect(rotation.current == 1 && !rotation.isFirstTry)
        #expect(rotation.moveOn(canRecover: true) == .untried)
        rotation.returnToFirst()
        #expect(rotation.current == 1 && !rotation.hasUntried)
    }

    @Test func `when no URL can recover, none is left`() {
        var rotation = MirrorRotation(mirrors: 1)
        #expect(rotation.moveOn(canRecover: false) == .untried)
        #expect(rotation.moveOn(canRecover: false) == .none)
    }

    @Test func `a new round retries URLs without a path, but no refused ones`() {
        var rotation = MirrorRotation(mirrors: 2)
        #expect(rotation.moveOn(canRecover: false, isCutOff: true) == .untried)
        #expect(rotation.moveOn(canRecover: false) == .untried)
        #expect(rotation.moveOn(canRecover: false) == .none)
        rotation.restart()
        #expect(rotation.current == 0 && !rotation.hasUntried)
        #expect(rotation.moveOn(canRecover: false) == .none)
    }
}
