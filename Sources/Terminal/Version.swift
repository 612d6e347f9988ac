import CBuildInfo

/// The program's version, as `--version`, `/healthz` and the User-Agent tell it.
public enum Version {
    public static let current = "0.2.0"

    /// With the commit that it was built from, when whoever built it knew one.
    static let full = full(commit: String(cString: islet_build_commit()))

    static func full(commit: String) -> String {
        commit.isEmpty ? current : "\(current) (\(commit))"
    }
}
