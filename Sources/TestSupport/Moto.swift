import SystemKit

/// moto, a simulation of AWS that checks signatures; stops when released.
package final class Moto: Sendable {
    private let server: ServerProcess
    /// The access key ID of the created user.
    package let accessKey: String
    /// The secret access key of the created user.
    package let secretKey: String

    /// Starts the server and creates a user with all permissions.
    ///
    /// Throws `MissingTool` when the server does not start.
    package init() throws {
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let own = root + ".build-python/bin/moto_server"
        let program = (try? InputFile.kind(of: own)) == nil ? "moto_server" : own
        server = try ServerProcess(
            "moto_server (from PyPI: moto[server])",
            readyAt: "Running on",
            // The calls that create the user are not signed.
            environment: ["INITIAL_NO_AUTH_ACTION_COUNT": "3"]
        ) { [program, "-H", "127.0.0.1", "-p", "\($0)"] }

        let port = server.port
        _ = try Self.call(port, "Action=CreateUser&UserName=me")
        let answer = try Self.call(port, "Action=CreateAccessKey&UserName=me")
        guard let accessKey = answer.firstMatch(of: #/<AccessKeyId>([^<]+)</#)?.1,
            let secretKey = answer.firstMatch(of: #/<SecretAccessKey>([^<]+)</#)?.1
        else { throw MissingTool("moto_server", answer) }
        self.accessKey = String(accessKey)
        self.secretKey = String(secretKey)
        let policy =
            "%7B%22Version%22%3A%222012-10-17%22%2C%22Statement%22%3A%5B%7B%22Effect%22%3A"
            + "%22Allow%22%2C%22Action%22%3A%22%2A%22%2C%22Resource%22%3A%22%2A%22%7D%5D%7D"
        _ = try Self.call(
            port,
            "Action=PutUserPolicy&UserName=me&PolicyName=all&PolicyDocument=\(policy)"
        )
    }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(server.port)" }

    /// Calls the user management service.
    private static func call(_ port: UInt16, _ form: String) throws -> String {
        let key = "Credential=x/20260101/us-east-1/iam/aws4_request"
        let outcome = try Command(
            "curl",
            [
                "--silent", "--show-error", "--data", form + "&Version=2010-05-08",
                "--header",
                "Authorization: AWS4-HMAC-SHA256 \(key), SignedHeaders=host, Signature=x",
                "http://127.0.0.1:\(port)/",
            ]
        ).run()
        guard outcome.status == .exit(0) else {
            throw MissingTool("curl", outcome.standardError)
        }
        return outcome.standardOutput
    }
}
