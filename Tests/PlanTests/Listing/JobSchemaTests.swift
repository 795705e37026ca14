import JobFile
import TestSupport
import Testing

@testable import JSON
@testable import Plan

@Suite struct JobSchemaTests {
    /// The schema as a document: JSON is YAML.
    private static func schema() throws -> Document {
        let result = Document.parse(JobSchema.text, name: "job.schema.json")
        #expect(result.diagnostics.isEmpty)
        return try #require(result.document)
    }

    private static let tables: [(name: String, keys: KeyTable)] =
        [
            ("secret", SecretTable.table.keys), ("defaults", DefaultsTable.table.keys),
            ("session", SessionTable.table.keys), ("connectTo", ConnectToTable.table.keys),
            ("protocolClass", ProtocolTable.table.keys),
            ("ftp", FileServerTables.ftpTable.keys), ("ssh", FileServerTables.sshTable.keys),
            ("tls", TLSTable.table.keys), ("minimumRate", SessionTable.minimumRateTable.keys),
            ("limits", LimitsTable.table.keys), ("limitsPeriod", LimitsTable.periodTable.keys),
            ("bandwidth", LimitsTable.bandwidthTable.keys),
            ("urlCache", CacheTable.table.keys), ("storingRule", CacheTable.ruleTable.keys),
            ("redirectDecision", RedirectTable.decisionTable.keys),
            ("network", NetworkTable.table.keys), ("interfaceRule", NetworkTable.rules.keys),
            ("interfaceMatch", NetworkTable.matches.keys),
            ("proxy", ProxyTable.table.keys), ("proxyServer", ProxyTable.server.keys),
            ("checksum", ChecksumTable.table.keys),
            ("signature", DetachedSignatureTable.table.keys),
            ("becomeDownload", BecomeDownloadTable.table.keys),
            ("mixedReplace", MixedReplaceTable.table.keys), ("extract", ExtractTable.table.keys),
            ("capture", CaptureTable.table.keys),
            ("data", TaskTable.data.keys),
            ("upload", TaskTable.upload.keys),
            ("download", TaskTable.download.keys), ("retry", RetryTable.table.keys),
            ("backoff", RetryTable.backoff.keys), ("expect", ExpectTable.table.keys),
            ("redirects", RedirectTable.table.keys), ("encoding", EncodingTable.table.keys),
            ("dateFormat", EncodingTable.dateTable.keys),
            ("floatTexts", EncodingTable.floatTable.keys),
            ("convertToString", EncodingTable.textTable.keys),
            ("when", WhenTable.table.keys), ("forEach", ForEachTable.table.keys),
            ("part", MultipartType.part.keys), ("stream", StreamTable.table.keys),
            ("schedule", ScheduleTable.table.keys), ("hooks", HooksTable.table.keys),
            ("webhook", WebhookTable.table.keys), ("template", TemplateBody.table.keys),
            ("report", JobTable.report.keys), ("webSocket", WebSocketTable.table.keys),
            ("webSocketStep", WebSocketStepTable.table.keys),
            ("send", WebSocketStepTable.sendTable.keys),
            ("receive", ReceiveTable.table.keys),
            ("messageCondition", ReceiveTable.conditions.keys),
            ("expectedMessage", ReceiveTable.expectTable.keys),
            ("ping", WebSocketStepTable.pingTable.keys), ("close", CloseTable.table.keys),
            ("expectedClose", CloseTable.expectTable.keys),
            ("streamTask", StreamTaskTable.table.keys),
            ("streamStep", StreamStepTable.table.keys),
            ("write", StreamStepTable.writeTable.keys), ("read", StreamReadTable.table.keys),
            ("expectedBytes", StreamReadTable.expectTable.keys),
        ] + CredentialTable.methods.map { ($0.table.keys.name, $0.table.keys) }

    @Test func `the file in the repository is what the runner prints`() throws {
        let path = #filePath.replacing(#/Tests/PlanTests/.*/#, with: "schemas/job.schema.json")
        if Fixture.isUpdating { Fixture.write(JobSchema.text, to: path) }
        let written = try #require(Fixture.read(path))
        #expect(
            String(decoding: written, as: UTF8.self)
                == String(decoding: JobSchema.text, as: UTF8.self)
        )
    }

    @Test func `every key that is read is in the schema, and no other one`() throws {
        let schema = try Self.schema()
        let definitions = try #require(schema.value(of: schema.root, for: "definitions")).value
        var described = [("job", schema.root, JobTable.table.keys)]
        for (name, keys) in Self.tables {
            let node = try #require(schema.value(of: definitions, for: name), "\(name)").value
            described.append((name, node, keys))
        }
        for (name, node, keys) in described {
            let properties = try #require(schema.value(of: node, for: "properties")).value
            let written = schema.entries(of: properties).map { schema.text(of: $0.key) }
            #expect(written == keys.names, "\(name)")
        }
        // Besides the tables only `expression`.
        #expect(schema.count(of: definitions) == Self.tables.count + 1)
    }

    @Test(arguments: [
        (#"{ "configuration": "background", "identifier": "a" }"#, true),
        (#"{ "configuration": "background" }"#, false),
        (#"{ "configuration": "default", "identifier": "a" }"#, false),
        (#"{ "identifier": "a" }"#, false), (#"{ "configuration": "ephemeral" }"#, true),
        ("{}", true), (#"{ "configuration": "${var.kind}", "identifier": "a" }"#, true),
        (#"{ "configuration": "${var.kind}" }"#, true),
    ])
    func `only background sessions have an identifier`(
        session: String,
        isValid: Bool
    ) throws {
        let text = String(decoding: JobSchema.text, as: UTF8.self)
        let definitions = try #require(text.firstRange(of: "\"definitions\": {"))
        let schema = ##"{ "$ref": "#/definitions/session", "## + text[definitions.lowerBound...]
        let faults = try JSONSchemaValidator(schema: JSONValue(bytes: Array(schema.utf8)))
            .faults(in: JSONValue(bytes: Array(session.utf8)))
        #expect(faults.isEmpty == isValid, "\(faults)")
    }

    @Test func `every reference has its definition`() throws {
        let text = String(decoding: JobSchema.text, as: UTF8.self)
        let schema = try Self.schema()
        let definitions = try #require(schema.value(of: schema.root, for: "definitions")).value
        for match in text.matches(of: #/"#\/definitions\/([A-Za-z]+)"/#) {
            #expect(schema.value(of: definitions, for: String(match.1)) != nil, "\(match.1)")
        }
    }

    /// The schemas of all keys, by their path.
    private static func keys() throws -> [(path: String, schema: JSONValue)] {
        let schema = try JSONValue(bytes: JobSchema.text)
        let definitions = try #require(schema["definitions"])
        let tables = [("job", schema)] + definitions.members.map { ($0.name, $0.value) }
        return tables.flatMap { name, table in
            (table["properties"]?.members ?? []).map { ("\(name).\($0.name)", $0.value) }
        }
    }

    @Test func `every default and every example is valid`() throws {
        let definitions = try #require(JSONValue(bytes: JobSchema.text)["definitions"])
        var count = 0
        for (path, schema) in try Self.keys() {
            let values =
                [schema["default"]].compactMap { $0 } + (schema["examples"]?.elements ?? [])
            let members = schema.members + [.init(name: "definitions", value: definitions)]
            let validator = JSONSchemaValidator(schema: .object(members))
            for value in values {
                #expect(validator.faults(in: value).isEmpty, "\(path)")
                count += 1
            }
        }
        #expect(count > 200)
    }

    @Test func `a description ends with the default that editors fill in`() throws {
        for (path, schema) in try Self.keys() where schema["default"] != nil {
            let text = try #require(schema["description"]?.string)
            let standard = try #require(text.firstMatch(of: #/ Default: (.*)\.$/#), "\(path)").1
            let value = try #require(Document.parse(Array(standard.utf8), name: path).document)
            let isText = schema["default"]?.string != nil
            #expect(!isText || schema["default"]?.string == value.text(of: value.root), "\(path)")
            let markdown = try #require(schema["markdownDescription"]?.string)
            #expect(markdown.hasSuffix(" Default: `\(standard)`."), "\(path)")
        }
    }

    @Test func `each section has a snippet with a mapping that needs only its texts`() throws {
        for name in [
            "secrets", "sessions", "data", "uploads", "downloads", "webSockets", "streams",
        ] {
            let key = try #require(try Self.keys().first { $0.path == "job.\(name)" }).schema
            let body = try #require(key["defaultSnippets"]?.elements.first?["body"], "\(name)")
            #expect(body.members.map(\.name) == ["${1:name}"])
            let section = try #require(body.members.first).value
            let first = try #require(section.members.first).value.string
            #expect(first?.hasPrefix("${2:") == true, "\(name): \(first ?? "")")
        }
    }

    @Test(arguments: [("a", "${1:a}"), ("${a}", "${1:\\${a\\}}"), (#"a\b"#, #"${1:a\\b}"#)])
    func `a snippet shows the characters of its own notation`(text: String, place: String) {
        #expect(NotedValue.place(1, text) == place)
    }

    @Test func `every key has a description`() {
        for (name, keys) in Self.tables + [("job", JobTable.table.keys)] {
            for key in keys.keys {
                #expect(key.summary.hasSuffix("."), "\(name).\(key.name)")
            }
        }
    }

    @Test func `every key is found by its name`() throws {
        for (name, keys) in Self.tables + [("job", JobTable.table.keys)] {
            for (position, key) in keys.keys.enumerated() {
                let document = try #require(
                    Document.parse(Array(key.name.utf8), name: name).document
                )
                #expect(keys.position(of: document.root, in: document) == position, "\(key.name)")
            }
        }
    }
}
