import Foundation
import ProjectFiles

/// One Swift file of the project.
struct SourceFile: Sendable {
    /// Relative to the project's root, for example `Sources/Domain/Identifiers.swift`.
    let path: String
    let lines: [String]

    /// `Domain` for the example above.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    var isTest: Bool { path.hasPrefix("Tests/") }

    /// Lines without comments and without what is in string literals, so that words in them do not
    /// count as code.
    let code: [String]

    init(path: String, lines: [String]) {
        (self.path, self.lines) = (path, lines)
        code = lines.map(Self.code)
    }

    /// By hand, because a regular expression on each line of the project takes half a minute.
    private static func code(in line: String) -> String {
        guard line.utf8.contains(UInt8(ascii: "\"")) || line.utf8.contains(UInt8(ascii: "/")) else {
            return line
        }
        var bare: [UInt8] = []
        var (isText, isEscaped) = (false, false)
        for byte in line.utf8 {
            if isText {
                if byte == UInt8(ascii: "\""), !isEscaped {
                    bare.append(byte)
                    isText = false
                }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            if byte == UInt8(ascii: "/"), bare.last == byte {
                bare.removeLast()
                break
            }
            bare.append(byte)
            isText = byte == UInt8(ascii: "\"")
        }
        return String(decoding: bare, as: UTF8.self)
    }
}

enum SourceTree {
    /// All Swift files of the project; never empty.
    static func swiftFiles() throws -> [SourceFile] { try all.get() }

    private static let all = Result {
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
