import SystemKit

/// The folder for data that can be fetched again.
enum CacheFolder {
    /// `RUNNER_CACHE_DIR`, else `$XDG_CACHE_HOME/runner`, else `~/.cache/runner` (XDG Base
    /// Directory Specification).
    ///
    /// - Returns: An absolute path; nil when neither the environment nor the user database names
    ///   one.
    static func path(in environment: [String: String]) -> String? {
        if let chosen = EnvironmentOption.text("CACHE_DIR") {
            guard !chosen.hasBytePrefix("/") else { return chosen }
            return ProcessContext.workingFolder.map { "\($0)/\(chosen)" }
        }
        if let cache = environment["XDG_CACHE_HOME"], cache.hasBytePrefix("/") {
            return cache + "/runner"
        }
        return ProcessContext.homeFolder.map { $0 + "/.cache/runner" }
    }
}
