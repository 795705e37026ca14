import TestSupport
import Testing

/// File servers that let the client wait, by the built executable.
@Suite struct SilentFileServerTests {
    @Test(arguments: [FTPServer.Security.explicit, .implicit])
    func `a reply of FTP is read while the handshake for the file has not begun`(
        _ security: FTPServer.Security
    ) throws {
        let server = try FTPServer(security)
        for name in ["a", "b", "c"] { try server.folder.write(name, to: name) }
        let once = "retry: { attempts: 1 }"
        let job = try FileServerTests.ftp(
            server,
            """
            downloads:
              a: { url: "\(server.origin)/a", to: a, \(once) }
              b: { url: "\(server.origin)/b", to: b, needs: a, \(once) }
              c: { url: "\(server.origin)/c", to: c, needs: b, \(once) }
            uploads:
              d: { url: "\(server.origin)/d", text: d, needs: c, \(once) }
            """
        )
        let run = try job.run(environment: FileServerTests.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        for name in ["a", "b", "c"] { #expect(try job.folder.text(name) == name) }
        #expect(try server.folder.text("d") == "d")
        #expect(run.exchanges("b").first?["isReusedConnection"]?.bool == true)
    }
}
