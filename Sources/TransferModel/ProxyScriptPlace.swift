internal import SystemKit

/// Where a session's proxy auto-configuration (PAC) script is.
package enum ProxyScriptPlace: Sendable, Hashable {
    /// An absolute path, and the path as the job file has it.
    case file(path: String, displayPath: String)
    /// An http or https URL.
    case url(HTTPURL)

    /// The place as messages name it.
    package var text: String {
        switch self {
        case .file(_, let displayPath): displayPath
        case .url(let url): url.text
        }
    }
}

/// One of the ways to an origin that a script names.
package enum ProxyChoice: Sendable, Hashable {
    case direct
    case server(ProxyServer)

    /// Why the answer of a script is unusable.
    package struct Fault: Error, Hashable {
        /// A sentence without its full stop.
        package var message: String
    }

    /// The most choices that an answer may name; further ones are dropped.
    private static let mostChoices = 16

    /// Reads the answer of a script, such as `PROXY a:3128; SOCKS b; DIRECT`.
    ///
    /// The words are those of browsers, with their default ports. A script that returns null or an
    /// empty text wants a direct connection. Unknown words are skipped if there are others.
    package static func all(in answer: String) throws(Fault) -> [ProxyChoice] {
        let entries = answer.splitAtBytes(";")
            .map { $0.split(whereSeparator: \.isWhitespace) }.filter { !$0.isEmpty }
        if entries.isEmpty || answer == "null" { return [.direct] }
        var choices: [ProxyChoice] = []
        for entry in entries {
            guard let choice = choice(entry), !choices.contains(choice) else { continue }
            choices.append(choice)
        }
        guard !choices.isEmpty else {
            throw Fault(
                message:
                    "the script answered `\(answer.onOneLine(limit: 200).text)`, which names no proxy"
            )
        }
        return Array(choices.prefix(mostChoices))
    }

    private static func choice(_ words: [Substring]) -> ProxyChoice? {
        if words.count == 1, words[0].uppercased() == "DIRECT" { return .direct }
        guard words.count == 2 else { return nil }
        let (kind, usualPort): (ProxyServer.Kind, Int)
        switch words[0].uppercased() {
        case "PROXY", "HTTP": (kind, usualPort) = (.http, 80)
        case "HTTPS": (kind, usualPort) = (.https, 443)
        case "SOCKS", "SOCKS4": (kind, usualPort) = (.socks4, 1080)
        case "SOCKS5": (kind, usualPort) = (.socks5h, 1080)
        default: return nil
        }
        // A login in the answer is no part of the language.
        guard let text = try? ProxyText(String(words[1])), text.kind == nil,
            text.userInformation == nil, text.rest.isEmpty
        else { return nil }
        let port = text.port ?? usualPort
        return .server(ProxyServer(kind: kind, host: text.host, port: port))
    }
}
