import SystemKit
import TransferModel

/// Looks at the proxies that the environment names, for sessions that name none.
enum ProxyExamination {
    /// The findings about the variables; a fault for a variable that no session can use.
    static func examine() -> Examination {
        do throws(ProxyFault) {
            let environment = try ProxyEnvironment(ProcessContext.variable)
            return Examination(
                name: "proxies",
                findings: [
                    proxy(environment.http, for: "http"), proxy(environment.https, for: "https"),
                    ignored(environment),
                ].compactMap(\.self)
            )
        } catch {
            let meaning = "sessions without `proxy` end a run with exit code 4"
            return Examination(
                name: "proxies",
                findings: [Finding("environment", .fault, error.message, meaning)]
            )
        }
    }

    private static func proxy(_ entry: ProxyEnvironment.Entry?, for scheme: String) -> Finding {
        guard let entry else {
            return Finding(scheme, .ok, "none", "\(scheme) servers are reached directly")
        }
        let account = entry.server.credentials == nil ? "" : ", with a user and a password"
        return Finding(
            scheme,
            .ok,
            "\(entry.server.url)\(account) (\(entry.variable))",
            "\(scheme) servers are reached through it, except this machine and the hosts in "
                + "`no_proxy`"
        )
    }

    /// A variable that other programs obey and this one ignores.
    private static func ignored(_ environment: ProxyEnvironment) -> Finding? {
        guard environment.http?.variable != "http_proxy",
            ProcessContext.variable("HTTP_PROXY")?.isEmpty == false
        else { return nil }
        return Finding(
            "HTTP_PROXY",
            .limited,
            "is ignored",
            "clients of a CGI program can set this variable: use `http_proxy`"
        )
    }
}
