import Diagnostics
import Testing

@Suite struct NearestNameTests {
    private let known = [
        "url", "method", "headers", "timeoutInterval", "timeoutIntervalForRequest", "retry",
        "allowsCellularAccess", "session", "sessions", "to",
    ]

    @Test(arguments: [
        ("retries", "retry"), ("retri", "retry"), ("rety", "retry"), ("rtery", "retry"),
        ("URL", "url"), ("uri", "url"), ("header", "headers"), ("Method", "method"),
        ("allows_cellular_access", "allowsCellularAccess"), ("timeout", "timeoutInterval"),
        ("timeoutIntervalForRequests", "timeoutIntervalForRequest"), ("sesion", "session"),
        ("sessionss", "sessions"), ("xyz", nil), ("", nil), ("t", nil), ("ot", "to"),
        ("urlString", "url"), ("completelyDifferent", nil),
    ])
    func `the intended name is found`(name: String, expected: String?) {
        #expect(NearestName.find(name, among: known) == expected)
    }

    @Test func `of equally near names the first is suggested`() {
        #expect(NearestName.find("cat", among: ["car", "cab"]) == "car")
        #expect(NearestName.find("cat", among: ["cab", "car"]) == "cab")
    }

    @Test func `the name itself is no suggestion`() {
        #expect(NearestName.find("url", among: ["url"]) == nil)
    }

    @Test func `endless names cost no quadratic time`() {
        let long = String(repeating: "a", count: 200_000)
        #expect(NearestName.find(long, among: [long + "b", "b"]) == long + "b")
        #expect(NearestName.find(long, among: [String(repeating: "b", count: 200_000)]) == nil)
    }
}
