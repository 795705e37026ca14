import CurlKit
import SystemKit

/// Looks at the roots that servers' certificates are checked against.
enum TrustExamination {
    /// The findings about both stores of roots; nil without libcurl.
    static func examine() -> Examination? {
        guard let features = try? CurlLibrary.features() else { return nil }
        let stores = [file(features.certificateFile), folder(features.certificateFolder)]
            .compactMap(\.self)
        let hasRoots = stores.contains { $0.status == .ok }
        let none = Finding(
            "roots",
            .fault,
            "none",
            "every https server is refused unless the session has `tls.caFile`: "
                + "install ca-certificates"
        )
        return Examination(name: "certificates", findings: stores + (hasRoots ? [] : [none]))
    }

    /// The roots in one file.
    private static func file(_ path: String?) -> Finding? {
        guard let path else { return nil }
        let name = "file of roots"
        do throws(SystemError) {
            let bytes = try InputFile(path: path).readPrefix(limit: 64 << 20)
            let count = bytes.ranges(of: Array("-----BEGIN CERTIFICATE-----".utf8)).count
            return Finding(
                name,
                count > 0 ? .ok : .absent,
                "\(path): \(count) certificates",
                count > 0 ? "https servers are checked against it" : "it has no certificates"
            )
        } catch {
            return Finding(name, .absent, error.message, "it is not used")
        }
    }

    /// The roots in a folder, under the names that OpenSSL looks for.
    private static func folder(_ path: String?) -> Finding? {
        guard let path else { return nil }
        let hexadecimal = String(repeating: "[0-9a-f]", count: 8)
        let count = (try? FilePattern.expand("\(path)/\(hexadecimal).[0-9]").count) ?? 0
        return Finding(
            "folder of roots",
            count > 0 ? .ok : .absent,
            "\(path): \(count) certificates",
            count > 0 ? "used in addition to the file" : "it has no certificates"
        )
    }
}
