/// Pieces of text that mean something to a YAML reader or to the job language.
enum Tokens {
    static let letters = Array("abcdefgh")

    static let all = syntax + expressions + characters + keys.map { "\n    \($0): " } + values

    static let values = [
        "0", "-1", "012", "0x", "0xFFFFFFFFFFFFFFFFFF", "9223372036854775808",
        "-9223372036854775809",
        "1e400", ".inf", "-.Inf", ".nan", "~", "null", "true", "yes", "on", "1_000", "1.5.2", "''",
        "30s", "1h30m", "36501d", "9999999999999999999d", "0.0000000000000000001ms", "5MiB/s",
        "99999999TiB/s", "unlimited", "200-299", "599-100", "2xx", "application/json", "*/*",
        "sha256:\(String(repeating: "0f", count: 32))", "https://a.example/", "http://[::1]:0/",
        "https://u:p@a.example:65536/?q#f", "HTTP://127.0.0.1", "https://[", "file:///etc/passwd",
        "data:;base64,WA==", "data:text/plain,${item}", "file://${var.in}/%2e%2e/x",
        "ftp://a.example/%2e%2e/x%0a", "sftp://a.example/x",
        "SHA256:\(String(repeating: "A", count: 43))",
        "../../x", "/", "a/", "..", "${env.HOME}", "\"\\u0000\"", "\"\\ud800\"", "!!int five",
        "{ range: [1, 9] }", "{ range: [9, -9, -3] }", "{ items: [a, { id: b }] }", "{ csv: rows }",
        "{ jsonLines: rows }", "{ lines: rows }", "{ glob: \"**\" }",
        "{ glob: [\"a/[!b-d]*/**/?\", \"!**/*.html\"], hidden: true }",
        "{ matrix: { a: [1, 2], b: [c] }, exclude: [{ a: 1 }] }",
        "[\"t[${item}]\"]", "\"out/${item}\"", "\"${task.a.x}/\"",
        "!!binary aGk=", "!!timestamp 2026-01-01",
        "!!timestamp 2026-02-30 25:00:00.1234567890 +99",
        "gzip", "convertToSnakeCase", "[low, high]", "{ a: 1 }", "&a [*a]", "*nowhere",
        "ws://a.example/", "WSS://[::1]/x#y", "[{ receive: { until: closed } }]",
        "[{ send: { base64: AA== } }, { close: { code: 1005 } }]",
        "\"0644\"", "sha512", "sha512:00", "{ from: https://a.example/, algorithm: sha256 }",
        "'(a+)+$'", "(?<n>[z-a", "|\n      text", ">-\n      text", "{{ name }}", "$NAME",
        "$(NAME)",
    ]

    private static let keys = [
        "version", "name", "variables", "defaults", "sessions", "data", "uploads", "downloads",
        "schedule", "report", "url", "allowsReadAccessTo", "ftp", "ssh", "knownHosts", "hostKey",
        "protocolClasses", "scheme", "command", "to", "json", "file", "text", "headers",
        "retry", "backoff",
        "expect", "statusCode", "mimeType", "redirects", "needs", "session", "checksum", "encoding",
        "forEach", "items", "csv", "jsonLines", "lines", "range", "matrix", "exclude", "key",
        "glob", "hidden", "webhook", "on", "onFailure", "fromFile",
        "capture", "regex", "header",
        "form", "multipart", "stream", "command", "fifo", "fileName", "contentType",
        "contentEncoding", "keyEncodingStrategy", "dateEncodingStrategy", "formatted", "timeZone",
        "dataEncodingStrategy", "!!binary ", "nonConformingFloatEncodingStrategy",
        "convertToString", "nan", "decisions", "origin", "follow", "willCacheResponse", "store",
        "sessionDescription", "responseTo", "idempotencyKey", "priority",
        "timeoutInterval", "minimumRate", "limits", "bandwidth", "requests", "timetable", "window",
        "10/s", "30/m", "5MiB/s", "<<", "x-y", "Authorization", "Content-Length",
        "httpAdditionalHeaders", "maxConcurrentTasks", "deadline", "mirrors", "mode", "decode",
        "ifExists", "from", "algorithm", "webSockets", "steps", "send", "receive", "ping", "close",
        "until", "closeCode", "protocols", "payload", "base64", "count", "for", "timeout",
        "streams", "host", "port", "secure", "steps", "read", "write", "line", "base64", "until",
        "untilLine", "untilClosed", "count", "minLength", "maxLength", "maximumSize", "closeWrite",
        "closeRead", "startSecureConnection", "timeout",
    ]

    private static let syntax = [
        ": ", "- ", "? ", "# ", ", ", "[", "]", "{", "}", "&a ", "*a", "<<: *a\n", "!", "!!str ",
        "!!map ", "!<x> ", "|", ">", "|2-\n", "\"", "'", "\\", "\\x", "\\U0011FFFF", "%YAML 1.1\n",
        "%TAG ! !\n", "---\n", "...\n", "\t", "\n", "\r\n", "\r", "@", "`", "  ", ",,", ": : :",
    ]

    private static let expressions = [
        "${", "}", "$${", "${}", "${env.", "${var.a}", "${env.A:-", "${env.A:?why}",
        "${var.a:-${var.b}}",
        "${task.a.x}", "${task.",
        "${item}", "${item.x}", "${item.a.0:-b}", "${run.id}", "${secret.y}", "${var.é}", "$", "{{",
        "}}", "{{ var.a }}", "$(", ")", "$A_B",
    ]

    private static let characters = [
        "\u{0}", "\u{7}", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{A0}", "\u{301}", "\u{200D}",
        "\u{202E}",
        "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFD}", "é", "漢字", "👩‍👩‍👧‍👦", "\u{10FFFF}",
    ]
}
