import CBuildInfo

/// The program's version, as `--version`, `/healthz` and the User-Agent tell it.
public enum Version {
    public static let current = "0.2.0"

    /// That it was built from; empty if the build knew none.
    public static let commit = String(cString: islet_build_commit())

    static let full = full(commit: commit)

    static func full(commit: String) -> String {
        commit.isEmpty ? current : "\(current) (\(commit))"
    }
}
