import Foundation
import ProjectFiles
import Testing

/// Where a change goes is looked up by people who do not know the code yet.
struct `The table of where things go` {
    private func page() throws -> String { try ProjectFiles.text("CONTRIBUTING.md") }

    private func rows() throws -> String {
        try page().split(separator: "\n").filter { $0.hasPrefix("|") }.joined(separator: "\n")
    }

    /// A path begins in `Sources`, or at the root of the project.
    private func url(_ path: some StringProtocol) -> URL? {
        ["Sources/\(path)", String(path)].map { ProjectFiles.url($0) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }

    @Test func `names files and folders that there are`() throws {
        let paths = try page().matches(of: /`(\w+\/[^` <]+)`/).map(\.1)
        #expect(paths.count > 100)
        for path in paths { #expect(url(path) != nil, "there is no \(path)") }
    }

    /// Those that are named without their folder.
    @Test func `names files that are somewhere in the project`() throws {
        let names = try rows().matches(of: /`([\w+.\-]+\.(?:swift|js|json|sql|yml))`/).map(\.1)
        #expect(names.count > 10)
        var known: Set<Substring> = []
        for folder in ["Sources", "Tests"] {
            let below = ProjectFiles.url(folder).path
            for path in try FileManager.default.subpathsOfDirectory(atPath: below) {
                if let name = path.split(separator: "/").last { known.insert(name) }
            }
        }
        for name in names {
            #expect(known.contains(name) || url(name) != nil, "there is no \(name)")
        }
    }

    @Test func `names what each kind has`() throws {
        let paths = try rows().matches(of: /`(\w+\/[^` ]*<Kind>[^` ]*)`/).map { String($0.1) }
        #expect(paths.count > 4)
        let folder = ProjectFiles.url("Sources/Projections/Activities").path
        let kinds = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { !$0.contains(".") }
        #expect(kinds.count > 4)
        for path in paths {
            for kind in kinds {
                let place = path.replacing("<Kind>", with: kind)
                #expect(url(place) != nil, "there is no \(place)")
            }
        }
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
