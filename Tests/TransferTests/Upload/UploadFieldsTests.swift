import Testing
import TransferModel

@testable import Transfer

@Suite struct UploadFieldsTests {
    private func fields(_ lines: [String]) -> UploadFields {
        var fields = HeaderFields()
        for line in lines { fields.append(line: Array(line.utf8).span) }
        return UploadFields(fields)
    }

    @Test(
        arguments: [
            ("0", 0), ("15", 15), (" 7 ", 7), ("7;x=1", 7),
            ("999999999999999", 999_999_999_999_999),
            ("1000000000000000", nil), ("-1", nil), ("", nil), ("7.0", nil), ("seven", nil),
            ("7 8", nil), ("+7", nil), ("0x7", nil), ("?1", nil),
        ] as [(String, Int64?)]
    )
    func `an offset is an integer of at most 15 digits`(text: String, offset: Int64?) {
        #expect(fields(["Upload-Offset: \(text)"]).offset == offset)
    }

    @Test func `a repeated field counts as none`() {
        #expect(fields(["Upload-Offset: 7", "upload-offset: 7"]).offset == nil)
        #expect(fields(["Upload-Complete: ?1", "Upload-Complete: ?1"]).isComplete == nil)
    }

    @Test(
        arguments: [
            ("Upload-Complete: ?1", true), ("Upload-Complete: ?0", false),
            ("Upload-Incomplete: ?0", true), ("Upload-Incomplete: ?1", false),
            ("Upload-Complete: ?1;a", true), ("Upload-Complete: 1", nil),
            ("Upload-Complete: true", nil), ("X: ?1", nil),
        ] as [(String, Bool?)]
    )
    func `both names of completeness are understood`(line: String, isComplete: Bool?) {
        #expect(fields([line]).isComplete == isComplete)
    }

    @Test(
        arguments: [
            ("max-append-size=100", 100), ("min-size=0, max-append-size=5;x", 5),
            ("max-size=9,max-append-size=7 , expires=1", 7),
            ("max-append-size=1,max-append-size=2", 2),
            ("max-append-size=-1", nil), ("max-append-size", nil), ("max-size=9", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func `of several upload limits only max-append-size counts`(text: String, size: Int64?) {
        #expect(fields(["Upload-Limit: \(text)"]).maximumAppendSize == size)
    }

    private func lines(_ fields: [HeaderField]) -> [String] {
        fields.map { "\($0.name): \($0.value)" }
    }

    @Test func `the first request declares a whole body in each version's fields`() {
        let send = { (version: UploadVersion) in
            lines(UploadFields.sending(version, from: nil, isLast: true, total: 9))
        }
        #expect(send(.v3) == ["Upload-Draft-Interop-Version: 3", "Upload-Incomplete: ?0"])
        #expect(send(.v5) == ["Upload-Draft-Interop-Version: 5", "Upload-Complete: ?1"])
        for (version, number) in [(UploadVersion.v6, 6), (.v7, 7), (.v8, 8)] {
            #expect(
                send(version) == [
                    "Upload-Draft-Interop-Version: \(number)", "Upload-Complete: ?1",
                    "Upload-Length: 9",
                ]
            )
        }
    }

    @Test func `a part says where it begins and whether it is the last`() {
        let send = { (version: UploadVersion) in
            lines(UploadFields.sending(version, from: 4, isLast: false, total: 9))
        }
        #expect(
            send(.v3) == [
                "Upload-Draft-Interop-Version: 3", "Upload-Incomplete: ?1", "Upload-Offset: 4",
            ]
        )
        #expect(
            send(.v6) == [
                "Upload-Draft-Interop-Version: 6", "Upload-Complete: ?0", "Upload-Offset: 4",
                "Content-Type: application/partial-upload",
            ]
        )
    }
}
