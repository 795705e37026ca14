import Testing
import TransferModel

@testable import Transfer

@Suite struct UploadNamesTests {
    private static func names(_ url: String) throws -> UploadNames {
        UploadNames(of: try TransferURL(fileServer: url), token: "t0")
    }

    @Test func `FTP renames a file in the folder of the connection`() throws {
        let names = try Self.names("ftp://A.test:2121/%2Fsrv/a%20b/c%22d.txt")
        #expect(names.temporaryURL == "ftp://a.test:2121//srv/a%20b/.c%22d.txt.t0.part")
        #expect(names.commands == ["RNFR .c\"d.txt.t0.part", "RNTO c\"d.txt"])
    }

    @Test func `SFTP renames a file by its whole path, in quotation marks`() throws {
        let names = try Self.names("sftp://a.test/srv/a%20b/c%22%5C'd")
        #expect(names.temporaryURL == "sftp://a.test/srv/a%20b/.c%22%5C%27d.t0.part")
        #expect(
            names.commands == [
                #"*rm "/srv/a b/c\"\\\'d""#,
                #"rename "/srv/a b/.c\"\\\'d.t0.part" "/srv/a b/c\"\\\'d""#,
            ]
        )
        let home = try Self.names("sftp://a.test/~/x")
        #expect(home.commands.last == #"rename ".x.t0.part" "x""#)
    }

    @Test func `each upload has another temporary name, of at most 255 bytes`() throws {
        let url = try TransferURL(fileServer: "ftp://a.test/" + String(repeating: "x", count: 250))
        let (one, other) = (UploadNames(of: url), UploadNames(of: url))
        #expect(one.temporaryURL != other.temporaryURL)
        #expect(one.temporaryURL.utf8.count - "ftp://a.test/".utf8.count <= 255)
    }
}
