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
        "version: 1", "---", "  - url: https://h.example:8443", "    to: ${var.folder}",
        "a: { url: https://h.example, to: ${item.path} }", "  nightly:",
        "cachePolicy: returnCacheDataElseLoad", "  timeoutInterval: 30s",
        "  json: {", "    id: [", "Authorization: ${secret.shop}",
        "  origins: [https://h, https://g]",
        "url:https://h.example", "required: true", "url https://h.example", "  env: API_TOKEN",
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
        ("url: https://h/?k=hunter2", "url: https://h***********"),
        ("url: https://h.example/T0/hunter2", "url: https://h.example***********"),
        ("  session: \"hunter2", "  session: \"*******"), ("key: hunter2", "key: *******"),
        ("form: { user: ada, key: hunter2", "form: { user: ***, key: *******"),
        ("name: hunter2", "name: *******"), ("to: out/a.bin", "to: *********"),
        ("url: hunter2", "url: *******"),
        ("url: https://bob:123,456@h/", "url: https://**************"),
        ("to: a hunter2", "to: *********"), ("name: hunter2!", "name: ********"),
        ("env: hunter2", "env: *******"), ("text: 1234", "text: ****"),
        ("Authorization: *hunter2", "Authorization: ********"), ("note: *base", "note: *****"),
        ("a: { x: hunter2, url: https://h }", "a: { x: *******, url: https://h }"),
        ("bob:hunter2", "***********"), ("- -u bob:hunter2", "- **************"),
        ("command: [curl, -u, \"bob:hunter2\"]", "command: [**********************\"]"),
        ("<<: hunter2", "<<: *******"),
        ("x: ${env.A:-hunter2}", "x: ****************}"), ("Straße: hunter2", "****************"),
    ])
    func `everything else is hidden`(line: String, shown: String) {
        #expect(Self.shown(of: line) == shown)
    }

    @Test func `a login may end in the next line`() {
        #expect(Self.shown(of: "url: https://bob:12345", above: "6@h/") == "url: https://*********")
    }
}
