import Foundation
import ProjectFiles
import Testing

/// Where a change goes is looked up by people who do not know the code yet.
struct `The table of where things go` {
    private func rows() throws -> String {
        let lines = try ProjectFiles.text("CONTRIBUTING.md").split(separator: "\n")
        return lines.filter { $0.hasPrefix("|") }.joined(separator: "\n")
    }

    /// A path begins in `Sources`, or at the root of the project.
    private func url(_ path: Substring) -> URL? {
        ["Sources/\(path)", String(path)].map { ProjectFiles.url($0) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }

    @Test func `names files and folders that there are`() throws {
        let paths = try rows().matches(of: /`(\w+\/[^` <]+)`/).map(\.1)
        #expect(paths.count > 100)
        for path in paths { #expect(url(path) != nil, "there is no \(path)") }
    }

    @Test func `names figures in the files that have them`() throws {
        let figures = try rows().matches(of: /`(\w+)` in `(\w+\/[^` <]+\.swift)`/)
        #expect(figures.count > 3)
        for figure in figures {
            let file = try #require(url(figure.2), "there is no \(figure.2)")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("\(figure.1)"), "there is no \(figure.1) in \(figure.2)")
        }
    }
}
