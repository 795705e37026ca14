// Scripts/reference writes this file.

/// The meanings of the diagnostic codes, as the page of the codes has them.
enum CodeMeanings {
    /// A line for each code: the code, a space and the meaning.
    static let lines = #"""
        yaml.empty the file has no content
        yaml.not-utf8 the bytes are not UTF-8
        yaml.control-character a character that YAML excludes
        yaml.too-large more than 64 MiB, 4 million values or 16 `%TAG` lines
        yaml.nesting more than 64 collections inside one another
        yaml.alias-expansion the aliases expand to more than 4 million values or 256 MiB of text
        yaml.recursive-alias an alias inside of its own anchor
        yaml.undefined-alias an alias without an anchor before it
        yaml.multiple-documents a second document
        yaml.tab-indent indentation by a tab
        yaml.syntax not YAML
        yaml.duplicate-key a duplicate key in a mapping
        yaml.key-not-scalar a key that is a list or a mapping
        yaml.bad-merge a `<<` of a value that is no mapping
        yaml.unsupported-tag a tag that the language does not have
        yaml.tag-mismatch a text that does not match its tag
        yaml.too-many-faults too many faults: the rest was not read
        job.unknown-key a key that this mapping does not have
        job.missing-key a required key is missing
        job.conflicting-keys keys that exclude each other
        job.wrong-type a value of another type
        job.unsupported-version a version of the language other than 1
        job.bad-include a file that `include` names is missing or too large, includes itself, or has a key that only the job file may have
        job.no-tasks nothing to do: the job has no tasks, or a `forEach` no items
        job.bad-value none of the permitted words
        job.bad-duration no duration
        job.bad-rate no rate
        job.bad-size no size
        job.out-of-range a number, duration, rate or size that is too small or too large, a filled-in value that is too long, or too long a chain of variables
        job.bad-url no absolute http or https URL, and no URL of another scheme where one is allowed
        job.bad-proxy no URL of a proxy, a proxy at the wrong place, no exception, or proxy auto-configuration
        job.bad-method no method, or none for this kind of task
        job.bad-header a header field that cannot be sent
        job.reserved-header a header field that only the runner sets
        job.plain-http-credentials `Authorization` or `Cookie` goes over plain http to another machine, or a response from which an attacker can find passwords by guessing
        job.unverified-server a session that accepts any server's certificate
        job.bad-status no status code or range
        job.bad-mime-type no MIME type
        job.bad-checksum no `sha256:` with 64 digits, no `sha512:` with 128
        job.bad-timestamp a `!!timestamp` that is no date and no time
        job.bad-path no path of a file
        job.path-escape a path that leaves its folder after an expression, a captured value that is not one name, or a `file` URL outside of the folders of its session
        job.bad-json a value that JSON cannot express
        job.not-repeatable a retry of an upload from a named pipe, which can be read once
        job.order-of-run `${run.…}` in the URL or the body of an order with `idempotencyKey: auto`: it is another order in a later run
        job.repeated-key one `idempotencyKey` for several orders at one origin, which takes them for repeats of one order
        job.constant-key an `idempotencyKey` without an expression: the server takes the order of the next run for a repeat of this one
        job.bad-pointer no JSON pointer
        job.bad-pattern no pattern of PCRE2
        job.file-name-as-body a body that is the name of a file, which is not read: a lone string under `json` that ends in `.json` or names a file, `@name` of a file, or a part with `;type=` behind it
        job.quoted-json a body that is one string with an object or array of JSON in it, so that the server gets a string
        job.bad-expression no expression
        job.unknown-variable an undeclared variable
        job.unused-variable a `--var` that the file does not use
        job.suspicious-placeholder `{{ name }}`, `$NAME` or `$(NAME)`, which stay unchanged, in a URL, header or path; in a body only `{{ name }}` that the job declares; `*`, `[1-9]`, `{a,b}` or `{1..3}` in the path of a URL
        job.unknown-field a field that an item does not have
        job.variable-cycle circular references between variables
        job.url-part a value that would exceed its part of a URL
        job.raw-value `raw:`, with which a value may exceed its part of a URL or path
        job.misplaced-capture a captured value in a place where it is known too late
        job.unknown-secret an undeclared secret
        job.secret-misplaced a secret in a setting that reports and messages show
        job.secret-in-path a secret in the name of a file
        job.secret-exposed the value of a secret, filled in as its environment variable
        job.secret-in-url a secret in a URL without `allowInURL: true`, or in its scheme or host
        job.secret-over-plain-http a secret that goes over plain http to another machine, or may go there
        job.open-credential a password, a token or a key of `credentials` that is no secret
        job.secret-to-other-origin a secret that goes to an origin outside of its `origins`, or that would follow a redirect to any origin
        job.bad-id no id of a task or session, no name of a variable or secret, or no key of an item
        job.duplicate-key two items of a `forEach` with one key
        job.duplicate-id an id in two sections
        job.unknown-task a task that does not exist, in `needs`, in an expression or in `--only`
        job.duplicate-identifier two background sessions with one identifier
        job.not-in-background a feature that a background session cannot have: a `data` task, a `stream`, captures, `when`, unfollowed redirects
        job.background-only a feature of background sessions in another session
        job.unknown-session a session that does not exist
        job.session-required several sessions, and the task names none
        job.needs-cycle circular needs between tasks
        job.unknown-capture a name that the task does not capture
        job.missing-need a captured value of a task that is not among the needs, or that `when` lets fail
        job.constant-condition a comparison in `when` without an expression: it always or never holds
        job.duplicate-destination a result with the same file as another result, the report or a file that the job reads, or below one of the first two
        job.too-many-faults too many faults: the rest was not checked
        job.bad-row a row that is not CSV, JSON or UTF-8, a file name that is not UTF-8, a row that has another number of fields than the header or a CR outside of quotes, or is longer than 1 MiB
        job.skipped-files `glob` finds links to folders, links out of the folder, links to nothing, pipes, sockets or devices, which are no files to send
        job.missing-variable an environment variable, or one that `--var` must set, is not set
        job.missing-file a file that the job needs is missing, not a regular file, or has changed since the check
        job.unreadable-file a file that the job needs cannot be opened; the message has the system's reason
        job.missing-secret the value of a secret is missing or invalid; only `runner run` finds it
        job.missing-library a library that the job needs is missing: libpcre2-8 for patterns, libarchive for `extract`
        """#
}
