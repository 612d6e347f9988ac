import Foundation
import ProjectFiles
import Testing

/// Files that say what the output was when somebody last looked at it.
enum Golden {
    /// Compares line by line. What came out instead is written below `.build/golden`, to be looked
    /// at and, if it is right, copied.
    static func check(_ name: String, _ lines: [String]) throws {
        let folder = ProjectFiles.url("Tests/ProjectionsTests/Golden")
        let expected = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
        let actual = lines.map { $0 + "\n" }.joined()
        guard expected != actual else { return }
        let output = ProjectFiles.url(".build/golden")
        try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
        try Data(actual.utf8).write(to: output.appending(path: name))
        let before = expected?.split(separator: "\n").map(String.init) ?? []
        let first = zip(lines, before).first { $0 != $1 }
        Issue.record(
            """
            \(name) differs; see .build/golden/\(name)
            expected: \(first?.1 ?? "\(before.count) lines")
            actual:   \(first?.0 ?? "\(lines.count) lines")
            """)
    }
}
