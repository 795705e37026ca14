import Testing

@testable import Plan

/// Of a file that cannot be read as YAML only signs, keys and plain values of harmless keys are
/// shown.
@Suite struct LineScreenTests {
    /// A line with stars in place of what is hidden.
    private static func shown(of line: String, above next: String = "") -> String {
        var bytes = Array(line.utf8)
        for range in LineScreen.hidden(in: bytes[...], before: Array(next.utf8)[...]) {
            for index in range { bytes[index] = UInt8(ascii: "*") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        "version: 1", "---", "  - url: https://h.example:8443/a/b.bin", "    to: out/a.bin",
        "a: { url: https://h.example/${item.id}/x, to: out/${item.id} }", "  nightly:",
        "cachePolicy: returnCacheDataElseLoad", "  timeoutInterval: 30s", "note: *base",
        "  json: {", "    id: [", "Authorization: ${secret.shop}",
        "  origins: [https://h, https://g]",
        "url:https://h.example/a", "required: true", "url https://h.example/a", "  env: API_TOKEN",
    ])
    func `what cannot be a secret is shown`(line: String) {
        #expect(Self.shown(of: line) == line)
    }

    @Test(arguments: [
        ("hunter2", "*******"), ("  - hunter2", "  - *******"),
        ("password: hunter2", "password: *******"),
        ("password hunter2", "password *******"), ("x: hunter2 # hunter2", "x: *****************"),
        ("# hunter2", "#********"), ("url: https://bob:hunter2@h/", "url: https://**************"),
        ("url: https://bob:hunter2", "url: https://***********"),
        ("url: https://h/?k=hunter2", "url: https://h/**********"),
        ("url: hunter2", "url: *******"),
        ("url: https://bob:123,456@h/", "url: https://**************"),
        ("to: a hunter2", "to: a *******"), ("name: hunter2!", "name: ********"),
        ("env: hunter2", "env: *******"), ("text: 1234", "text: ****"),
        ("Authorization: *hunter2", "Authorization: ********"),
        ("a: { x: hunter2, url: https://h/ }", "a: { x: *******, url: https://h/ }"),
        ("bob:hunter2", "***********"), ("- -u bob:hunter2", "- **************"),
        ("command: [curl, -u, \"bob:hunter2\"]", "command: [**********************\"]"),
        ("x: ${env.A:-hunter2}", "x: ****************}"), ("Straße: hunter2", "****************"),
    ])
    func `everything else is hidden`(line: String, shown: String) {
        #expect(Self.shown(of: line) == shown)
    }

    @Test func `a login may end in the next line`() {
        #expect(Self.shown(of: "url: https://bob:12345", above: "6@h/") == "url: https://*********")
    }
}
