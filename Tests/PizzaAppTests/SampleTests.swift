import Foundation
import ProjectFiles
import Testing

@Suite(.timeLimit(.minutes(5)))
struct `The sample app` {
    @Test func `compiles, app and widgets, against what it uses of Apple's frameworks`() throws {
        try StubbedCompiler.with { compiler in
            for part in ["App", "Widget"] {
                let files = try StubbedCompiler.files(below: "Examples/PizzaApp/\(part)")
                #expect(files.count >= 3)
                let complaints = try compiler.complaints(about: files, as: "Pizza\(part)")
                #expect(complaints == "")
            }
            let merchant = try StubbedCompiler.files(below: "Examples/Merchant/swift")
            #expect(!merchant.isEmpty)
            #expect(
                try compiler.complaints(
                    about: merchant.filter { $0.lastPathComponent != "Package.swift" },
                    as: "Merchant") == "")
            try expectToSeeChange(compiler)
        }
    }

    /// A member that no state has any more is an error here, as it would be in an app.
    private func expectToSeeChange(_ compiler: StubbedCompiler) throws {
        let widget = try StubbedCompiler.files(below: "Examples/PizzaApp/Widget")
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "islet-changed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let changed = try widget.map { file in
            let copy = folder.appending(path: file.lastPathComponent)
            try String(contentsOf: file, encoding: .utf8)
                .replacing("deliveryTimer", with: "arrivalTimer").write(
                    to: copy, atomically: true, encoding: .utf8)
            return copy
        }
        #expect(
            try compiler.complaints(about: changed, as: "PizzaWidget")
                .contains("has no member 'arrivalTimer'"))
    }

    @Test func `is what the documentation shows, line by line`() throws {
        // SixthKindTests compares this page with code of its own.
        let pages = try pages().filter { $0.lastPathComponent != "add-an-activity-kind.md" }
        let code = try StubbedCompiler.files(below: "Examples")
            .map { plain(try String(contentsOf: $0, encoding: .utf8)) }
        var blocks = 0
        for page in pages {
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: /```swift\n([\s\S]*?)```/) {
                blocks += 1
                let block = plain(String(match.1))
                if !code.contains(where: { $0.contains(block) }) {
                    Issue.record("\(page.lastPathComponent) shows what no example has:\n\(block)")
                }
            }
        }
        #expect(blocks >= 4)
    }

    private func pages() throws -> [URL] {
        let docs = ProjectFiles.url("docs")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: docs.path)
        return paths.filter { $0.hasSuffix(".md") }.sorted().map { docs.appending(path: $0) }
            + [ProjectFiles.url("README.md")]
    }

    /// Without the indentation, which a page need not keep.
    private func plain(_ code: String) -> String {
        code.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: "\n")
    }
}
