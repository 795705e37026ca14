import JSON
import ProtocolPrograms
import TestSupport
import Testing
import TransferModel

@Suite struct ConversationSchemaTests {
    private static let path = #filePath.replacing(
        #/Tests/ProtocolProgramsTests/.*/#,
        with: "schemas/protocol.schema.json"
    )

    @Test func `the file in the repository is what the runner prints`() throws {
        if Fixture.isUpdating { Fixture.write(Array(ConversationSchema.text.utf8), to: Self.path) }
        let written = try #require(Fixture.read(Self.path))
        #expect(String(decoding: written, as: UTF8.self) == ConversationSchema.text)
    }

    @Test func `what the runner says is a message`() throws {
        let url = HTTPURL(try CustomURL("Notes://Desk/a b".replacing(" ", with: "%20") + "#part"))
        let request = RequestSpec(
            method: "PUT",
            url: url,
            headers: [HeaderField(name: "A", value: "\"é\n")]
        )
        let message = try JSONValue(bytes: RunnerMessage.request(request, .length(3)))
        #expect(message["message"]?.string == "request")
        #expect(message["version"]?.integer == 1)
        #expect(message["method"]?.string == "PUT")
        #expect(message["url"]?.string == "notes://Desk/a%20b")
        #expect(message["headers"]?[0]?["name"]?.string == "A")
        #expect(message["body"]?["length"]?.integer == 3)
        let unknown = try JSONValue(bytes: RunnerMessage.request(request, .length(nil)))
        #expect(unknown["body"]?["length"]?.isNull == true)
        let none = try JSONValue(bytes: RunnerMessage.request(request, .none))
        #expect(none["body"]?.isNull == true)
        for line in [
            RunnerMessage.finish, RunnerMessage.cancel, RunnerMessage.data(count: 5),
            RunnerMessage.request(request, .none),
        ] {
            #expect(line.last == 10 && line.dropLast().allSatisfy { $0 != 10 })
        }
    }
}
