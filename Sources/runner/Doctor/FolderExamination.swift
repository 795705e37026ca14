import Report
import SystemKit

/// Tries out the folders that a run writes to, with files that it removes again.
enum FolderExamination {
    /// The findings about the state folder, the cache folder and the working folder.
    ///
    /// - Parameters:
    ///   - state: The path of the state folder; nil when nothing names one.
    ///   - cache: The path of the cache folder; nil when nothing names one.
    /// - Returns: All findings.
    static func examine(state: String?, cache: String?) -> Examination {
        var findings: [Finding] = []
        if let state {
            findings += folder(
                "state folder",
                state,
                use: "stores cookies, and the reports of jobs without `report`"
            )
        } else {
            findings.append(
                Finding(
                    "state folder",
                    .limited,
                    "none",
                    "cookies are not stored, and jobs without `report` need --report: set HOME"
                )
            )
        }
        if let cache {
            findings += folder(
                "cache folder",
                cache,
                use: "stores responses of sessions with a `urlCache`"
            )
        }
        if let working = ProcessContext.workingFolder {
            findings += workingFolder(working)
        }
        return Examination(name: "folders", findings: findings)
    }

    /// A folder of the runner's own: it is private, or created private when needed.
    private static func folder(_ name: String, _ path: String, use: String) -> [Finding] {
        do throws(SystemError) {
            let probe = try FolderProbe(path)
            let value = describe(path, probe)
            if let refusal = probe.refusal {
                return [
                    Finding(
                        name,
                        .fault,
                        value,
                        "\(use), but is not usable: \(refusal.message)"
                    )
                ]
            }
            guard probe.exists else {
                return [Finding(name, .ok, value, "\(use); runner creates it when it is needed")]
            }
            if !probe.isOwn || probe.mode & 0o077 != 0 {
                let reason = probe.isOwn ? "other users may read it" : "it belongs to another user"
                return [Finding(name, .limited, value, "\(use), but \(reason): chmod 700")]
            }
            return [Finding(name, .ok, value, use)] + publishing(name, probe)
        } catch {
            return [Finding(name, .fault, error.message, "\(use), but is not usable")]
        }
    }

    private static func workingFolder(_ path: String) -> [Finding] {
        let name = "working folder"
        do throws(SystemError) {
            let probe = try FolderProbe(path)
            let value = describe(path, probe)
            if let refusal = probe.refusal {
                return [
                    Finding(
                        name,
                        .limited,
                        value,
                        "downloads into it fail: \(refusal.message)"
                    )
                ]
            }
            return [
                Finding(
                    name,
                    .ok,
                    value,
                    "files can be created in it"
                )
            ] + publishing(name, probe)
        } catch {
            return [Finding(name, .limited, error.message, "downloads into it fail")]
        }
    }

    private static func describe(_ path: String, _ probe: FolderProbe) -> String {
        let mode = probe.mode.padded(to: 4, radix: 8)
        let free = probe.availableBytes.map { ", \(Quantity.bytes($0)) free" } ?? ""
        let place = probe.exists ? "mode \(mode)" : "does not exist yet, in \(probe.path)"
        return "\(path) (\(place), \(probe.fileSystem)\(free))"
    }

    /// How files in a folder are published.
    private static func publishing(_ name: String, _ probe: FolderProbe) -> [Finding] {
        let name = "files in the \(name)"
        guard probe.canReplace else {
            return [Finding(name, .fault, "no rename", "no file can be replaced atomically")]
        }
        guard probe.hasHardLinks || probe.canRenameToFree else {
            let meaning =
                "`ifExists: fail` and `skip` may replace a file that appears in the moment when the "
                + "download is complete"
            return [
                Finding(
                    name,
                    .limited,
                    "neither hard links nor renames without replacement",
                    meaning
                )
            ]
        }
        guard probe.hasUnnamedFiles else {
            return [
                Finding(
                    name,
                    .limited,
                    "no unnamed files (O_TMPFILE)",
                    "a killed run leaves `.….part` files behind, which the next run in the folder "
                        + "removes, but never a partial file under its final name"
                )
            ]
        }
        return [
            Finding(
                name,
                .ok,
                "unnamed until complete (O_TMPFILE), then linked or renamed",
                "a killed run leaves nothing behind"
            )
        ]
    }
}
