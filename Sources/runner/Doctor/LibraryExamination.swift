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
                "compresses what is sent with `contentEncoding: gzip`",
                without: "jobs with `contentEncoding: gzip` fail: install zlib1g"
            ),
            Finding(
                "Public Suffix List",
                PublicSuffixList.isPublicSuffix("com") == true ? PublicSuffixList.library : nil,
                "tells which cookies may be for a whole domain",
                without: "every cookie is for one host only: install libpsl5",
                .limited
            ),
            Finding(
                "host names beyond ASCII",
                InternationalName.ascii("ü") == "xn--tda" ? InternationalName.library : nil,
                "are looked up by their A-labels",
                without: "such hosts are refused: install libidn2-0",
                .limited
            ),
        ]
        do throws(CurlLibrary.LoadFailure) {
            let library = try CurlLibrary.load()
            let features = try CurlLibrary.features()
            let found = transfers(library, features) + bodies(features) + credentials(features)
            return Examination(name: "libraries", findings: found + own)
        } catch {
            let fault = Finding("libcurl", .fault, error.message, "nothing can be transferred")
            return Examination(name: "libraries", findings: [fault] + own)
        }
    }

    private static func transfers(
        _ library: CurlLibrary,
        _ features: CurlFeatures
    ) -> [Finding] {
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
                without: "https cannot be spoken",
                .fault
            ),
            http2(library, features),
            Finding(
                "HTTP/3",
                library.hasHTTP3 ? features.http3Library ?? "yes" : nil,
                "`httpVersion: \"3\"` speaks it",
                without: "`httpVersion: \"3\"` ends a run with exit code 4"
            ),
            Finding(
                "name lookup",
                features.hasAsynchronousLookup ? "in a thread of its own" : nil,
                "a slow resolver holds up nothing else",
                without: "a slow resolver holds up all transfers, and no timeout ends it",
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
                "not there",
                "`httpVersion: \"2\"` ends a run with exit code 4"
            )
        }
        let value = features.http2Library ?? "yes"
        guard library.isHTTP2Safe else {
            return Finding(
                name,
                .limited,
                value,
                "`httpVersion: automatic` is HTTP/1.1, because libcurl before 8.0 can report a cut transfer "
                    + "as complete; `\"2\"` ends a run with exit code 4"
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
                "`decode: true` asks for it and undoes it",
                without: "`decode: true` does not ask for it"
            )
        } + [
            Finding(
                "checksums",
                // The one-block example in FIPS 180-4.
                digest?.hasPrefix("ba7816bf8f01cfea") == true ? "SHA-256, SHA-512" : nil,
                "files are held against the job's `checksum`",
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
                "libcurl can authenticate with it",
                without: "libcurl was built without it"
            ),
            Finding(
                "proxies over TLS",
                features.hasEncryptedProxies ? "yes" : nil,
                "a proxy may be `https://…`",
                without: "a proxy of `https://…` cannot be spoken to"
            ),
        ]
    }

    private static func patterns() -> Finding {
        do throws(RegularExpression.Fault) {
            return Finding(
                "PCRE2",
                .ok,
                try RegularExpression.libraryVersion(),
                "finds what `capture: { regex: … }` asks for"
            )
        } catch {
            return Finding(
                "PCRE2",
                .absent,
                "not there",
                "jobs with a `regex` end with exit code 4: install libpcre2-8-0"
            )
        }
    }
}
