import JobFile
import Plan
import SystemKit

extension CommandLineCompletion.Names {
    /// The names in files of this machine; a file that cannot be read has none.
    static func ofThisMachine() -> CommandLineCompletion.Names {
        CommandLineCompletion.Names(
            tasks: { declared(in: $0)?.tasks ?? [] },
            variables: { declared(in: $0)?.variables ?? [] },
            sessions: { chosen in
                let state = StateFolder(
                    chosen: chosen ?? EnvironmentOption.text("STATE_DIR"),
                    environment: ProcessContext.environment
                )
                return (try? state.background().identifiers) ?? []
            }
        )
    }

    private static func declared(in path: String) -> DeclaredNames? {
        let path = withHome(path)
        // Opening a pipe would wait for its writer.
        guard let kind = try? InputFile.kind(of: path), kind == .regular,
            let bytes = try? InputFile(path: path).readPrefix(limit: DocumentLimits.bytes + 1)
        else { return nil }
        return Document.parse(bytes, name: path).document.map(DeclaredNames.init)
    }

    /// A path with the home folder in place of a tilde, which shells expand later.
    private static func withHome(_ path: String) -> String {
        guard let rest = path.withoutBytePrefix("~/"), let home = ProcessContext.homeFolder else {
            return path
        }
        return home + "/" + rest
    }
}
