import Foundation
import ProjectFiles

/// One Swift file of the project.
struct SourceFile {
    /// Relative to the project's root, for example `Sources/Domain/Identifiers.swift`.
    var path: String
    var lines: [String]

    /// `Domain` for the example above.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    var isTest: Bool { path.hasPrefix("Tests/") }

    /// Lines with string literals' contents and comments left out, so that words in them do not
    /// count as code.
    var code: [String] {
        lines.map { line in
            // Matching every line would take most of the tests' time.
            guard line.contains("\"") || line.contains("//") else { return line }
            let bare = line.replacing(/"(?:\\.|[^"\\])*"/, with: "\"\"")
            return bare.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
                .first.map(String.init) ?? ""
        }
    }
}

enum SourceTree {
    /// All Swift files of the project; never empty.
    static func swiftFiles() throws -> [SourceFile] {
        try ["Sources", "Tests", "Benchmarks", "Examples"].flatMap(files(below:))
    }

    private static func files(below folder: String) throws -> [SourceFile] {
        let base = ProjectFiles.url(folder)
        guard FileManager.default.fileExists(atPath: base.path) else { return [] }
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            let text = try String(contentsOf: base.appending(path: path), encoding: .utf8)
            return SourceFile(
                path: "\(folder)/\(path)",
                lines: text.split(separator: "\n", omittingEmptySubsequences: false)
                    .map(String.init))
        }
    }
}
