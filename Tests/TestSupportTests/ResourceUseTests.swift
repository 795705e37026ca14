import TestSupport
import Testing

@Suite struct ResourceUseTests {
    @Test func `used resources never decrease`() {
        let before = ResourceUse.ofProcess()
        #expect(before.cpuNanoseconds > 0)
        #expect(before.peakMemory > 1 << 20)
        let bytes = [UInt8](repeating: 1, count: 1 << 20)
        #expect(bytes.reduce(0) { $0 &+ Int($1) } == bytes.count)
        let after = ResourceUse.ofProcess()
        #expect(after.cpuNanoseconds >= before.cpuNanoseconds)
        #expect(after.peakMemory >= before.peakMemory)
    }
}
