import DeliveryRules
import Foundation
import ProjectFiles
import Projections
import Testing

/// Files that say what the output was when somebody last looked at it. The first line names the
/// version that made it.
enum Golden {
    /// What tells stored rows apart that were made otherwise.
    struct Version {
        /// As the sources call it.
        var name: String
        var number: Int

        static let rules = Version(
            name: "DispatchMachine.rulesVersion", number: DispatchMachine.rulesVersion)

        static func fold(ofKind name: String) throws -> Version {
            guard let kind = ActivityCatalog.standard.kind(named: name) else {
                throw NotWrittenDown("the catalogue has no kind \(name)")
            }
            return Version(name: "\(kind).foldVersion", number: kind.foldVersion)
        }

        fileprivate var line: String { "\(name) \(number)" }
    }

    /// Compares line by line. What came out instead is written below `.build/golden`, to be looked
    /// at and, if it is right, copied; but not while the version has to be raised first.
    static func check(_ name: String, by version: Version, _ output: [String]) throws {
        let file = ProjectFiles.url("Tests/ProjectionsTests/Golden").appending(path: name)
        let expected = try? String(contentsOf: file, encoding: .utf8)
        let lines = [version.line] + output
        let actual = lines.map { $0 + "\n" }.joined()
        guard expected != actual else { return }
        let before = expected?.split(separator: "\n").map(String.init) ?? []
        let copy = ProjectFiles.url(".build/golden").appending(path: name)
        let remedy: String
        if needsNewVersion(lines, insteadOf: before) {
            // One of an earlier run must not be taken for what came out.
            try? FileManager.default.removeItem(at: copy)
            remedy = """
                raise \(version.name): what it made before has the number \(version.number), too. \
                Only if the story itself was changed, delete the file instead
                """
        } else {
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(actual.utf8).write(to: copy)
            remedy = "see .build/golden/\(name), and copy it if it is right"
        }
        let first = zip(lines, before).first { $0 != $1 }
        Issue.record(
            """
            \(name) differs; \(remedy)
            expected: \(first?.1 ?? "\(before.count) lines")
            actual:   \(first?.0 ?? "\(lines.count) lines")
            """)
    }

    /// Whether what the version in the first line made has become something else. More of it, such
    /// as another story, is no change.
    static func needsNewVersion(_ lines: [String], insteadOf before: [String]) -> Bool {
        guard lines.first == before.first else { return false }
        var rest = lines[...]
        return !before.allSatisfy { line in
            guard let place = rest.firstIndex(of: line) else { return false }
            rest = rest[(place + 1)...]
            return true
        }
    }
}
