import CurlKit
import JobFile
import RegexKit
import SystemKit

/// Loads the libraries that transfers and job files need.
enum LibraryExamination {
    /// The findings about all libraries; without libcurl the rest of them.
    static func examine() -> Examination {
        let own = [
            Finding("libyaml", .ok, YAMLLibrary.version, "reads job files"),
            patterns(),
            Finding(
                "zlib",
                Gzip.isAvailable ? Gzip.library : nil,
                "compresses bodies with `contentEncoding: gzip`",
                without: "jobs with `contentEncoding: gzip` fail: install zlib1g"
            ),
            Finding(
                "Public Suffix List",
                PublicSuffixList.isPublicSuffix("com") == true ? PublicSuffixList.library : nil,
                "decides which cookies may be for a whole domain",
                without: "every cookie is for one host only: install libpsl5",
                .limited
            ),
            Finding(
                "archives",
                ArchiveReader.isAvailable ? ArchiveReader.library : nil,
                "are extracted by downloads with `extract`",
                without: "jobs with `extract` do not begin: install libarchive13",
                .limited
            ),
            Finding(
                "proxy scripts",
                ProxyScript.isAvailable ? ProxyScript.library : nil,
                "choose the proxies of sessions with `pac`",
                without: "jobs with `pac` do not begin: install libpacparser1",
                .limited
            ),
            Finding(
                "host names beyond ASCII",
                InternationalName.ascii("ü") == "xn--tda" ? InternationalName.library : nil,
                "are looked up in their ASCII form (A-labels)",
                without: "jobs with such hosts are refused: install libidn2-0",
                .limited
            ),
        ]
        do throws(CurlLibrary.LoadFailure) {
            let library = try CurlLibrary.load()
            let features = try CurlLibrary.features()
            let found = transfers(library, features) + bodies(features) + credentials(features)
            return Examination(name: "libraries", findings: found + own)
        } catch {
            let fault = Finding("libcurl", .fault, error.message, "no transfer works")
            return Examination(name: "libraries", findings: [fault] + own)
        }
    }

    private static func transfers(_ library: CurlLibrary, _ features: CurlFeatures) -> [Finding] {
        [
            Finding(
                "libcurl",
                .ok,
                library.version + (features.path.map { " (\($0))" } ?? ""),
                "carries out the transfers"
            ),
            Finding(
                "TLS",
                library.tlsVersion,
                "speaks https",
                without: "https does not work",
                .fault
            ),
            http2(library, features),
            Finding(
                "HTTP/3",
                library.hasHTTP3 ? features.http3Library ?? "yes" : nil,
                "`httpVersion: \"3\"` uses it",
                without: "`httpVersion: \"3\"` ends a run with exit code 4"
            ),
            Finding(
                "name lookup",
                features.hasAsynchronousLookup ? "in a separate thread" : nil,
                "a slow resolver delays nothing else",
                without: "a slow resolver delays all transfers, and no timeout ends the wait",
                .limited
            ),
        ]
    }

    private static func http2(_ library: CurlLibrary, _ features: CurlFeatures) -> Finding {
        let name = "HTTP/2"
        guard library.hasHTTP2 else {
            return Finding(
                name,
                .absent,
                "not available",
                "`httpVersion: \"2\"` ends a run with exit code 4"
            )
        }
        let value = features.http2Library ?? "yes"
        guard library.isHTTP2Safe else {
            return Finding(
                name,
                .limited,
                value,
                "`httpVersion: automatic` is HTTP/1.1, because libcurl before 8.0 can report a cut "
                    + "transfer as complete; `\"2\"` is for GET and HEAD, and repeats over 1.1 what "
                    + "has no length or digest"
            )
        }
        return Finding(name, .ok, value, "`httpVersion: automatic` offers it over TLS")
    }

    /// The libraries that decode and check bodies.
    private static func bodies(_ features: CurlFeatures) -> [Finding] {
        let codings: [(String, ContentDecoder.Coding, String?)] = [
            ("gzip, deflate", .gzip, features.zlibVersion),
            ("br", .brotli, features.brotliVersion),
            ("zstd", .zstd, features.zstdVersion),
        ]
        let digest = MessageDigest.sha256(of: Array("abc".utf8))
        return codings.map { name, coding, version in
            Finding(
                name,
                coding.isAvailable ? version ?? "yes" : nil,
                "`decode: true` requests and decodes it",
                without: "`decode: true` does not request it"
            )
        } + [
            Finding(
                "checksums",
                // The one-block example in FIPS 180-4.
                digest?.hasBytePrefix("ba7816bf8f01cfea") == true ? "SHA-256, SHA-512" : nil,
                "files are checked against the job's `checksum`",
                without: "jobs with `checksum` fail: install libssl3",
                .fault
            )
        ]
    }

    private static func credentials(_ features: CurlFeatures) -> [Finding] {
        [
            Finding(
                "Negotiate",
                features.hasNegotiate ? "GSS-API" : nil,
                "libcurl can authenticate with Kerberos",
                without: "libcurl was built without GSS-API"
            ),
            Finding(
                "NTLM",
                features.hasNTLM ? "yes" : nil,
                "libcurl can authenticate with NTLM",
                without: "libcurl was built without NTLM"
            ),
            Finding(
                "proxies over TLS",
                features.hasEncryptedProxies ? "yes" : nil,
                "a proxy may be `https://…`",
                without: "a proxy with `https://…` does not work"
            ),
        ]
    }

    private static func patterns() -> Finding {
        do throws(RegularExpressionFault) {
            return Finding(
                "PCRE2",
                .ok,
                try RegularExpression.libraryVersion(),
                "searches bodies for `capture: { regex: … }`"
            )
        } catch {
            return Finding(
                "PCRE2",
                .absent,
                "not available",
                "jobs with a `regex` end with exit code 4: install libpcre2-8-0"
            )
        }
    }
}
