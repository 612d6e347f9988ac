import Foundation
import ProjectFiles

/// One page of the documentation.
struct Page {
    /// Relative to the project's root.
    var path: String
    var text: String

    /// Lines with their numbers, without blocks of code.
    var prose: [(number: Int, line: String)] {
        var isCode = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .compactMap { index, line in
                if line.drop(while: { $0 == " " }).hasPrefix("```") {
                    isCode.toggle()
                    return nil
                }
                return isCode ? nil : (index + 1, String(line))
            }
    }

    /// Targets of links to other files and headings of the project, as written.
    var links: [String] {
        prose.flatMap { _, line in
            line.replacing(/`[^`]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/)
                .map { String($0.1) }
        }.filter { !$0.contains(/^[a-z]+:/) }
    }

    /// What a link with `#` may name: headings as GitHub spells them, and marked places.
    var anchors: Set<String> {
        let headings = prose.filter { $0.line.hasPrefix("#") }.map { _, line in
            line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
                .filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                .replacing(" ", with: "-")
        }
        return Set(headings + text.matches(of: /<a id="([^"]+)">/).map { String($0.1) })
    }

    /// The path that a link leads to and the heading in it.
    func target(of link: String) -> (path: String, anchor: String?) {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let anchor = parts.count > 1 ? String(parts[1]) : nil
        guard !parts[0].isEmpty else { return (path, anchor) }
        var folders = path.split(separator: "/").dropLast().map(String.init)
        for part in parts[0].split(separator: "/") {
            switch part {
            case "..": folders.removeLast()
            case ".": break
            default: folders.append(String(part))
            }
        }
        return (folders.joined(separator: "/"), anchor)
    }
}

enum MarkdownTree {
    /// Pages that are not in `docs/`.
    static let others = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]

    static func pages() throws -> [Page] {
        let base = ProjectFiles.url("docs")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path)
            .filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        return try (others + paths).map { Page(path: $0, text: try ProjectFiles.text($0)) }
    }
}
