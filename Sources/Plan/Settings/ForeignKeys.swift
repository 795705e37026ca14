internal import JobFile
internal import SystemKit

/// Keys of other tools and languages, and the job file's counterpart of each.
///
/// They are words of curl, wget, hurl, Ansible, GitHub Actions and URLSession that no misspelling
/// explains.
enum ForeignKeys {
    /// The message about a foreign key.
    struct Hint: Sendable, Hashable {
        /// The key of the same mapping that means the same; nil when it is no key of that mapping.
        var key: String?
        /// Advice on the text to write.
        var help: String

        /// A key that takes the same value.
        init(_ key: String) {
            self.key = key
            help = "did you mean `\(key)`?"
        }

        init(help: String) { self.help = help }

        /// The hint for a key that belongs to another mapping.
        func moved(to place: String) -> Hint {
            if let key { return Hint(help: "write `\(key)` in \(place)") }
            let isForm = ["write `", "write it "].contains(where: help.hasBytePrefix)
            return isForm ? Hint(help: "in \(place), \(help)") : self
        }

        /// The hint, or the advice by the keys of the value if that is a mapping and the key takes
        /// none; a word of its own meaning does not become a check of the response.
        func suited(to content: String?, in table: KeyTable) -> Hint {
            guard let content, key != nil || !content.hasBytePrefix("write `expect") else {
                return self
            }
            let known = table.keys.first { $0.name == key }
            return known?.shape.mayBeMapping == true ? self : Hint(help: content)
        }
    }

    /// The hint for a key in the mapping of a table; nil for an unknown word.
    static func hint(for name: String, in table: KeyTable) -> Hint? {
        let word = folded(name)
        return switch table.name {
        case "job": job(word)
        case "when": when(word)
        case "tls": security(word, "", inside: true) ?? session(word)?.moved(to: "the session")
        case "session": session(word)
        case "data", "upload", "download": task(word, in: table.name)
        case "defaults": session(word) ?? task(word, in: table.name)
        default: inner(word, in: table.name)
        }
    }

    /// The hint for a word of sessions or tasks in another mapping, such as `schedule`.
    static func hintElsewhere(for name: String) -> Hint? {
        let word = folded(name)
        return session(word)?.moved(to: "`defaults`")
            ?? task(word, in: "defaults")?.moved(to: "a task")
    }

    /// A hint for a key of the top level that is probably a task; nil for any other.
    static func taskAtTop(_ key: NodeID, in table: KeyTable, of document: Document) -> Hint? {
        guard table.name == "job" else { return nil }
        let value = document.value(behind: key)
        guard document.kind(of: value) == .mapping, document.value(of: value, for: "url") != nil
        else { return nil }
        return Hint(
            help:
                "write a task under `data`, `uploads` or `downloads`, indented further than that "
                + "key"
        )
    }

    /// The word in lower case, without `-` and `_`.
    static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") },
            as: UTF8.self
        ).lowercased()
    }

    private static func job(_ word: String) -> Hint? {
        switch word {
        case "requests", "request", "tasks", "jobs", "steps", "transfers", "entries", "urls",
            "files":
            Hint(help: "write tasks under `data`, `uploads` or `downloads`")
        case "env", "environment":
            Hint(help: "`${env.NAME}` needs no declaration; write other values under `variables`")
        case "vars", "params", "inputs", "with": Hint("variables")
        case "settings", "config", "options": Hint("defaults")
        case "proxy", "tls", "credentials", "retry", "headers", "expect", "redirects":
            Hint(help: "write it in `defaults`, for all sessions and tasks")
        case "parallel", "concurrency", "maxparallel", "maxconcurrency", "connections", "threads",
            "workers":
            Hint(help: "write `schedule: { maxConcurrentTasks: … }`")
        case "timeoutminutes", "deadline", "timelimit", "maxtime":
            Hint(help: "write `schedule: { deadline: … }`")
        case "matrix", "strategy", "foreach", "loop":
            Hint(help: "write `forEach: { matrix: … }` or `forEach: { items: … }` in a task")
        case "limits", "bandwidth", "ratelimit", "limitrate":
            Hint(help: "write `limits` in a session, or in `defaults` for all sessions")
        case "onfailure", "onfinish", "onsuccess", "onerror", "notify", "notifications",
            "afterscript", "post", "finally", "handlers":
            Hint(
                help: "write `hooks: { onFailure: [program, argument] }`, or `onFinish`, or "
                    + "`hooks: { webhook: { url: … } }` to post to a URL"
            )
        case "insecure", "auth", "timeout", "useragent", "retries": hintElsewhere(for: word)
        default: nil
        }
    }

    private static func session(_ word: String) -> Hint? {
        if let hint = security(word, "") { return hint }
        return switch word {
        case "connectionproxydictionary", "proxies", "proxyconfigurations", "httpproxy",
            "httpsproxy":
            Hint(help: "write `proxy: { http: …, https: …, exceptions: […] }`")
        case "auth", "authentication", "authorization", "user", "username", "login", "password",
            "netrc", "urlcredentialstorage", "basicauth", "bearer", "token", "oauth2bearer":
            Hint(help: "write `credentials`, each with the host that gets it")
        case "headers", "header", "defaultheaders": Hint("httpAdditionalHeaders")
        case "useragent", "agent", "referer", "accept":
            Hint(help: "write it among `httpAdditionalHeaders`")
        case "cookies", "cookiejar", "httpcookiestorage", "httpcookies":
            Hint(
                help:
                    "sessions keep cookies; `httpShouldSetCookies` and `httpCookieAcceptPolicy` "
                    + "change that"
            )
        case "resolve", "hosts", "hostaliases", "dns":
            Hint(help: "write `connectTo: [{ host: …, to: … }]`")
        case "cert", "key", "clientcert", "clientcertificate", "clientkey", "sslcert":
            Hint(help: "write `credentials`, with `method: clientCertificate`")
        case "http2", "http3", "http11", "protocol", "protocols":
            Hint(help: "write `httpVersion`")
        case "cache": Hint("urlCache")
        case "maxtime", "timeoutintervalforresources": Hint("timeoutIntervalForResource")
        case "timeout": Hint("timeoutIntervalForRequest")
        default: nil
        }
    }

    private static func task(_ word: String, in table: String) -> Hint? {
        if let hint = security(word, " in the task's session") ?? body(word, in: table) {
            return hint
        }
        switch word {
        case "httpmethod", "verb", "request", "customrequest": return Hint("method")
        case "header", "httpheaders", "allhttpheaderfields", "headerfields": return Hint("headers")
        case "uri", "href", "link", "address", "endpoint", "src", "source": return Hint("url")
        case "name", "title", "taskdescription": return Hint("description")
        case "dependson", "depends", "requires", "after": return Hint("needs")
        case "loop", "withitems": return Hint(help: "write `forEach: { items: … }`")
        case "strategy": return Hint(help: "write `forEach: { matrix: … }`")
        case "extract", "register", "save":
            return Hint(help: "write `capture: { name: { json: /name } }`")
        case "assert", "asserts", "assertions":
            return Hint(help: "write `expect: { statusCode: …, json: { /name: value } }`")
        case "status", "statuscode", "expectedstatus",
            "validstatus", "fail", "failonerror", "failwithbody":
            return Hint(help: "write `expect: { statusCode: … }`")
        case "auth", "authentication", "authorization", "user", "username", "login", "password",
            "basicauth", "netrc":
            return Hint(
                help: "write `credentials` in the task's session, or an `Authorization` among "
                    + "`headers`"
            )
        case "bearer", "token", "oauth2bearer":
            return Hint(help: "write `headers: { Authorization: \"Bearer ${secret.name}\" }`")
        case "useragent", "agent", "referer", "cookie", "cookies", "accept", "contenttype":
            return Hint(help: "write it among `headers`")
        case "query", "params", "queryparameters", "queryitems", "querystringparams":
            return Hint(help: "write it in `url`, after a `?`")
        case "proxy", "proxies", "connectionproxydictionary", "tls", "cacert", "cert",
            "credentials":
            return Hint(help: "it belongs to the task's session, under `sessions`")
        case "retries", "maxretries", "attempts", "tries":
            return Hint(help: "write `retry: { attempts: … }`")
        case "followredirects", "allowredirects", "follow", "location", "maxredirects", "maxredirs":
            return Hint(help: "write `redirects: { follow: … }` or `redirects: { maximum: … }`")
        case "resolve", "connectto":
            return Hint(help: "write `connectTo` in the task's session")
        case "maxtime", "timeoutintervalforresource", "timeoutminutes", "timelimit", "deadline":
            return Hint(help: "write `timeoutIntervalForResource` in the task's session")
        case "if", "onlyif", "unless", "condition", "rules", "skip", "onfailure", "onerror",
            "onsuccess", "always", "finally":
            return Hint(
                help: "write `when: { failed: ID }`, or `when: { equals: [VALUE, VALUE] }`"
            )
        case "continueonerror", "allowfailure", "ignoreerrors", "optional":
            return Hint(help: "write `required: false`")
        case "dir", "directory", "folder", "outdir", "outputdir", "outputdirectory",
            "directoryprefix", "remotename", "remoteheadername", "contentdisposition":
            return table == "download"
                ? Hint(help: "write `to: FOLDER/`, with a slash at its end") : nil
        case "metalink":
            return Hint(help: "Metalink files are not read: write `url`, `mirrors` and `checksum`")
        case "id": return Hint(help: "the key of the task is its id")
        case "cache": return Hint("cachePolicy")
        default: return course(word)
        }
    }

    /// Advice for a time at which the run should start.
    static let startTime =
        "runner does not start itself: a line in a crontab or a timer of systemd does (manual: "
        + "`docs/tutorial/cron.md`)"

    /// Words for the choice and the course of tasks.
    private static func course(_ word: String) -> Hint? {
        switch word {
        case "tags", "labels": Hint(help: "`runner run --only` chooses tasks by their ids")
        case "recursive", "mirror", "spider":
            Hint(help: "runner follows no links: write a task for each file, or `forEach`")
        case "parallel", "concurrency":
            Hint(help: "write `schedule: { maxConcurrentTasks: … }` at the top level")
        case "limitrate", "ratelimit", "maxspeed", "throttle":
            Hint(help: "write `limits: { bandwidth: … }` in the task's session")
        case "until", "poll", "waitfor":
            Hint(help: "write the condition as `expect`, and how often to ask as `retry`")
        default: nil
        }
    }

    private static func when(_ word: String) -> Hint? {
        switch word {
        case "success", "onsuccess", "needs": Hint("succeeded")
        case "failure", "onfailure", "error": Hint("failed")
        case "always", "completed", "done", "finished": Hint("ended")
        case "equal", "eq", "is", "in": Hint("equals")
        case "notequals", "ne", "not", "notin": Hint("differs")
        case "regex", "like", "contains": Hint("matches")
        case "any", "or", "anyof": Hint(help: "make `when` a list: one of its mappings must hold")
        case "all", "and", "allof": Hint(help: "all conditions of a mapping must hold")
        default: nil
        }
    }

    private static let ofDownloads = "`checksum` is a key of tasks under `downloads`"

    /// Words for the sent body and for the kept body.
    private static func body(_ word: String, in table: String) -> Hint? {
        switch word {
        case "path" where table == "upload": return Hint("file")
        case "from", "infile", "inputfile":
            return Hint(table == "upload" ? "file" : "url")
        case "httpbody", "body", "data", "payload", "content", "postdata", "databinary", "dataraw",
            "uploadfile", "upload":
            guard table == "upload" else {
                return Hint(help: "write a task that sends a body under `uploads`")
            }
            return Hint(
                help: "a body is one of `json`, `file`, `text`, `form`, `multipart`, `stream`"
            )
        case "json", "file", "text", "form", "multipart", "stream":
            guard table != "upload" else { return nil }
            let isName = table == "download" && word == "file"
            return isName
                ? Hint("to") : Hint(help: "write a task that sends a body under `uploads`")
        case "output", "out", "outputfile", "outputdocument", "dest", "destination", "path",
            "target",
            "filename", "saveto", "saveas", "to", "responseto":
            switch table {
            case "download": return Hint("to")
            case "data", "upload": return Hint("responseTo")
            default: return nil
            }
        case "sha256", "sha512", "sha256sum", "sha512sum", "hash", "digest", "integrity":
            let length = word.hasBytePrefix("sha512") ? "sha512" : "sha256"
            return table == "download"
                ? Hint(help: "write `checksum: \(length):…`") : Hint(help: ofDownloads)
        case "md5", "md5sum", "sha1", "sha1sum":
            return table == "download"
                ? Hint(help: "`checksum` takes `sha256:…` or `sha512:…`") : Hint(help: ofDownloads)
        case "continue", "continueat":
            return table == "download" ? Hint("resume") : nil
        case "overwrite", "noclobber", "skipexisting", "timestamping", "force":
            return table == "download"
                ? Hint(help: "write `ifExists: replace`, `skip`, `fail` or `revalidate`") : nil
        case "compressed": return Hint("decode")
        case "split", "maxconnectionperserver", "parts", "chunks":
            return table == "download" ? Hint("segments") : nil
        case "range", "ranges":
            return Hint(help: "runner requests whole files: `resume` continues one")
        case "unzip", "untar", "unpack", "unarchive", "decompress":
            return table == "download" ? Hint("extract") : nil
        default: return nil
        }
    }

    /// Words in the mappings of tasks and of the top level.
    private static func inner(_ word: String, in table: String) -> Hint? {
        switch (table, word) {
        case ("retry", "max"), ("retry", "count"), ("retry", "times"), ("retry", "tries"),
            ("retry", "retries"), ("retry", "maxattempts"), ("retry", "maxretries"):
            Hint("attempts")
        case ("forEach", "in"), ("forEach", "list"), ("forEach", "values"): Hint("items")
        case ("part", "path"): Hint("file")
        case ("part", "type"): Hint("contentType")
        case ("retry", "when"), ("retry", "codes"), ("retry", "statuscodes"): Hint("on")
        case ("retry", "delay"), ("retry", "wait"), ("retry", "interval"), ("retry", "sleep"):
            Hint(help: "write `backoff: { initial: … }`")
        case ("expect", "contenttype"), ("expect", "type"): Hint("mimeType")
        case ("expect", "body"), ("expect", "contains"), ("expect", "text"), ("expect", "regex"):
            Hint(help: "write `capture: { name: { regex: … } }` in the task: no match is a failure")
        case ("report", "format"), ("report", "type"), ("report", "path"), ("report", "file"),
            ("report", "xml"), ("report", "output"):
            Hint(help: "write the format as the key: `json: report.json`, `junit: report.xml`")
        case ("schedule", "cron"), ("schedule", "at"), ("schedule", "every"),
            ("schedule", "interval"), ("schedule", "oncalendar"):
            Hint(help: startTime)
        case ("checksum", "sha256"), ("checksum", "sha512"), ("checksum", "value"),
            ("checksum", "digest"):
            Hint(help: "write `checksum: sha256:…`, or name a list with `from`")
        default: nil
        }
    }

    private static let trust = "serverTrust: insecureAcceptAny"

    /// Words for taking any server's certificate.
    ///
    /// `inside` is whether the word is a key of the mapping `tls` itself.
    private static func security(_ word: String, _ place: String, inside: Bool = false) -> Hint? {
        switch word {
        case "insecure", "verify", "verifyssl", "sslverify", "skiptlsverify", "insecureskipverify",
            "nocheckcertificate", "validatecerts", "allowinsecure":
            Hint(
                help: "write `\(inside ? trust : "tls: { \(trust) }")`\(place) "
                    + "to accept any certificate; `caFile` is safer"
            )
        case "cacert", "cafile", "cacertificate":
            inside ? Hint("caFile") : Hint(help: "write `tls: { caFile: … }`\(place)")
        default: nil
        }
    }
}
