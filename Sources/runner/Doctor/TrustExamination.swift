import CurlKit
import SystemKit
import TransferModel

/// Looks at the roots that servers' certificates are checked against.
enum TrustExamination {
    /// The findings about both stores of roots; nil without libcurl.
    static func examine() -> Examination? {
        guard let features = try? CurlLibrary.features() else { return nil }
        let roots = RootsEnvironment(ProcessContext.variable)
        let stores = [
            file(features.certificateFile, or: roots.file),
            folder(features.certificateFolder, or: roots.folder),
        ].compactMap(\.self)
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

    /// The roots in one file, the environment's file if it names one.
    private static func file(_ path: String?, or entry: RootsEnvironment.Entry?) -> Finding? {
        guard let path = entry?.path ?? path else { return nil }
        let origin = entry.map { " (`\($0.variable)`)" } ?? ""
        let name = "file of roots"
        do throws(SystemError) {
            let bytes = try InputFile(path: path).readPrefix(limit: 64 << 20)
            let count = bytes.ranges(of: Array("-----BEGIN CERTIFICATE-----".utf8)).count
            return Finding(
                name,
                count > 0 ? .ok : .absent,
                "\(path)\(origin): \(count) certificates",
                count > 0 ? "https servers are checked against it" : "it has no certificates"
            )
        } catch {
            guard entry != nil else {
                return Finding(name, .absent, error.message, "it is not used")
            }
            let meaning = "every https server is refused unless the session has `tls.caFile`"
            return Finding(name, .fault, error.message + origin, meaning)
        }
    }

    /// The roots in a folder, under the names that OpenSSL looks for.
    private static func folder(_ path: String?, or entry: RootsEnvironment.Entry?) -> Finding? {
        guard let path = entry?.path ?? path else { return nil }
        let origin = entry.map { " (`\($0.variable)`)" } ?? ""
        let hexadecimal = String(repeating: "[0-9a-f]", count: 8)
        let count = path.splitAtBytes(":").reduce(0) {
            $0 + ((try? FilePattern.expand("\($1)/\(hexadecimal).[0-9]").count) ?? 0)
        }
        return Finding(
            "folder of roots",
            count > 0 ? .ok : .absent,
            "\(path)\(origin): \(count) certificates",
            count > 0 ? "used in addition to the file" : "it has no certificates"
        )
    }
}
