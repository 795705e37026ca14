import Plan
import SystemKit
import TransferModel

/// Puts the logins of netrc files where sessions ask for them.
enum NetrcFiles {
    /// The largest size of a netrc file, bytes.
    private static let largestFile = 1 << 20

    /// The sessions with the logins of their files instead of the files' names.
    ///
    /// - Parameter sessions: The sessions of the plan.
    /// - Returns: The same sessions, none with a netrc file.
    /// - Throws: `NetrcFault` for a file that is not there, that others may read, or that cannot be
    ///   understood.
    static func resolve(_ sessions: [SessionConfiguration]) throws(NetrcFault)
        -> [SessionConfiguration]
    {
        var resolved = sessions
        for index in sessions.indices {
            var credentials: [Credential] = []
            for credential in sessions[index].credentials {
                if case .netrc(let path) = credential.proof {
                    credentials += try logins(of: path).map {
                        var login = $0
                        login.challenge = credential.challenge
                        return login
                    }
                } else {
                    credentials.append(credential)
                }
            }
            resolved[index].credentials = credentials
        }
        return resolved
    }

    private static func logins(of path: String) throws(NetrcFault) -> [Credential] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try PrivateFile.read(path, path, to: "take logins from", limit: largestFile + 1)
        } catch {
            throw NetrcFault(message: error.message)
        }
        guard bytes.count <= largestFile, let text = String(validating: bytes, as: UTF8.self) else {
            throw NetrcFault(
                message: "\(path) is not a netrc file: it is too large or not UTF-8 text"
            )
        }
        do throws(NetrcSyntaxError) {
            return try NetrcText.credentials(in: text)
        } catch {
            throw NetrcFault(message: "\(path):\(error.line): \(error.message)")
        }
    }
}

/// The reason why the logins of a file cannot be read.
struct NetrcFault: Error {
    var message: String
}
