import Testing

@testable import Transfer

@Suite struct RedirectTrailTests {
    @Test func `another leg of an upload begins a trail, and counts on`() {
        var trail = RedirectTrail()
        trail.visit("GET http://a/")
        trail.follow()
        trail.beginLeg()
        #expect(trail.visited.isEmpty)
        trail.visit("GET http://b/")
        trail.follow()
        #expect(trail.visited == ["GET http://b/"])
        #expect(trail.count == 2)
    }

    @Test func `an order that was left stays left`() {
        var trail = RedirectTrail()
        #expect(!trail.followsOrder)
        trail.leaveOrder()
        trail.beginLeg()
        #expect(trail.followsOrder)
    }
}
