public import Foundation

/// Files of the project that tests read or run, wherever it was checked out.
public enum ProjectFiles {
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter path: from the project's root; empty for the root itself.
    public static func url(_ path: String = "") -> URL {
        path.isEmpty ? root : root.appending(path: path)
    }

    public static func text(_ path: String) throws -> String {
        try String(contentsOf: url(path), encoding: .utf8)
    }

    /// The interpreter of a virtual environment, which `make test` makes in `.build/NAME/venv`.
    public static func python(_ name: String) -> URL {
        url(".build/\(name)/venv/bin/python")
    }

    /// True where `make test`, or `tools/venv` by hand, has made it.
    public static func hasPython(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: python(name).path)
    }
}
