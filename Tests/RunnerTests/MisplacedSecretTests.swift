import TestSupport
import Testing

/// No format shows a secret that stands in a place where it does not belong, whatever its name.
@Suite struct MisplacedSecretTests {
    private static let rows = [
        "rows.csv": "id,note\na,hunter2,c\n", "rows.jsonl": "{\"id\":\"a\" \"note\":\"hunter2\"}\n",
        "values.csv": "id,note\na,hunter2\n", "twice.csv": "id,note\nhunter2,x\nhunter2,y\n",
        "headless.csv": "bob,hunter2\n1,2\n", "near.csv": "id,note,hunter2\n1,2,3\n",
    ]

    private static let files: [[String]] = [
        // A wrong key.
        ["data: { a: { url: 'https://h/', aplle: hunter2 } }"],
        ["sessions: { s: { apple: hunter2 } }"],
        ["data: { a: { url: 'https://h/', headers: { X-Any: hunter2 }, x: y } }"],
        ["variables: { apple: hunter2 }\nx: 1"],
        // A value of another kind than its key takes.
        [
            "data: { a: { url: hunter2 } }",
            "data: { a: { url: 'https://h/', needs: [{ x: hunter2 }] } }",
        ],
        // A torn line.
        ["data: { a: { url: 'https://h/', headers: { X-Any: some,hunter2 }, x: y } }"],
        ["variables:\n  apple: some\n  hunter2\n", "variables:\n  apple \"hunter2\"\n  b: c"],
        ["variables:\n  apple\n    hunter2\nx: 1", "variables:\n  - apple: hunter2\n  b: c"],
        // A comment.
        ["x: 1 # hunter2", "# hunter2\nx: [", "data: { a: { x: y } } # apple hunter2"],
        // A URL.
        ["data: { a: { url: 'https://h/?apple=hunter2', x: y } }"],
        ["data: { a: { url: 'https://h/#hunter2', x: y } }"],
        [
            "data: { a: { url: 'https://bob:hunter2@h/' } }",
            "data: { a: { url: 'htps://h/?hunter2' } }",
        ],
        ["sessions: { s: { proxy: { http: 'bob:hunter2@h' } } }"],
        // An option of a command.
        ["uploads: { a: { url: 'https://h/', stream: { command: [c, -x, hunter2] }, x: y } }"],
        ["uploads: { a: { url: 'https://h/', stream: { command: c -xhunter2 } } }"],
        ["hooks: { onFinish: [c, --apple=hunter2, { x: y }] }"],
        // A body.
        ["uploads: { a: { url: 'https://h/', json: { apple: hunter2 }, x: y } }"],
        ["uploads: { a: { url: 'https://h/', text: hunter2, x: y } }"],
        ["uploads: { a: { url: 'https://h/', form: { apple: hunter2 }, x: y } }"],
        ["uploads: { a: { url: 'https://h/', json: hunter2, text: hunter2 } }"],
        // A tag, an anchor, an alias.
        ["variables: { a: !hunter2 x }", "variables: { a: &hunter2 x, 1: y }", "x: *hunter2"],
        // A value that is filled in.
        [
            "variables: { apple: hunter2 }\ndata: { a: { url: 'https://h/', timeoutInterval: '${var.apple}' } }"
        ],
        ["data: { a: { url: 'https://h/', timeoutInterval: '${env.APPLE}' } }"],
        ["data: { a: { url: 'https://h/', priority: '${env.NO:-hunter2}' } }"],
        // A row of a data file.
        ["data: { a: { url: 'https://h/${item.id}', forEach: { csv: rows.csv } } }"],
        ["data: { a: { url: 'https://h/${item.id}', forEach: { jsonLines: rows.jsonl } } }"],
        ["data: { a: { url: '${item.note}', forEach: { csv: values.csv } } }"],
        [
            "data: { a: { url: 'https://h/', priority: '${item.note}', forEach: { csv: values.csv } } }"
        ],
        ["data: { a: { url: 'https://h/${item.note}', forEach: { csv: twice.csv } } }"],
        ["data: { a: { url: 'https://h/${item.x}', forEach: { csv: headless.csv } } }"],
        ["data: { a: { url: 'https://h/${item.hunter}', forEach: { csv: near.csv } } }"],
        // A value whose form fits a secret.
        [
            "streams: { s: { host: h, port: 1, steps: [{ write: { base64: hunter2x, bogus: 1 } }] } }",
            "webSockets: { s: { url: 'wss://h/', steps: [{ send: { base64: hunter2x, bogus: 1 } }] } }",
        ],
        ["webSockets: { s: { url: 'wss://h/', protocols: [hunter2], bogus: 1 } }"],
        [
            "uploads: { a: { url: 'https://h/', json: {}, idempotencyKey: hunter2, bogus: 1 } }",
            "streams: { s: { host: h, port: 1, steps: [{ read: { delimiter: hunter2, bogus: 1 } }] } }",
        ],
        // A login with a slip.
        [
            "data: { a: { url: 'https://hunter2%40example.com/x', bogus: 1 } }",
            "data: { a: { url: 'https://hunter2＠example.com', bogus: 1 } }",
            "data: { a: { url: 'https://u:1234/hunter2/@example.com/x', bogus: 1 } }",
            "data: { a: { url: 'https://h.example/a%3fk%3dhunter2', bogus: 1 } }",
        ],
        [
            "data: { a: { url: https://hunter2%40example.com/x ] } }",
            "data: { a: { url: https://hunter2＠example.com ] } }",
        ],
        // The name of a header.
        ["data: { a: { url: 'https://h/', headers: { Authorization Bearer hunter2: x } } }"],
        // A file that is no YAML.
        ["data: [ hunter2", "data:\n\turl: hunter2", "apple: \"hunter2\n", "hunter2\nx: 1"],
        ["apple = hunter2\nx: [", "- hunter2\nx: 1", "{ apple: hunter2 ] }", "a: { to: hunter2 ]"],
    ]

    @Test func `a secret in a wrong place is shown in no format`() throws {
        try ConfidentialFileTests.expectNoSecret(
            in: Self.files.flatMap(\.self),
            Self.rows,
            environment: ["APPLE": "hunter2"]
        )
    }
}
