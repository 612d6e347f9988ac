import Foundation
import ProjectFiles
import Testing

private let folder = "Sources/PostgresStore/Migrations"

/// Names of the files, in order.
private func files() throws -> [String] {
    let root = ProjectFiles.url(folder)
    return try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
}

@Test func `Schema lists every migration in the folder, in order`() throws {
    let listed = try ProjectFiles.text("Sources/PostgresStore/Schema.swift")
        .matches(of: /\("(\w+)", PackageResources\.(m\d{4}_(\w+))_sql\)/)
    #expect(listed.map { "\($0.2).sql" } == (try files()))
    for entry in listed {
        #expect(entry.1 == entry.3, "\(entry.2) is listed as \(entry.1)")
    }
}

@Test func `migrations are numbered 1, 2, 3 … and named for their object`() throws {
    for (index, file) in try files().enumerated() {
        let match = try #require(file.wholeMatch(of: /m(\d{4})_([a-z_]+)\.sql/), "\(file)")
        #expect(Int(match.1) == index + 1, "\(file) has the wrong number")
        let text = try ProjectFiles.text("\(folder)/\(file)")
        #expect(text.hasPrefix("-- "), "\(file) does not say what it is for")
        let names = [String(match.2), "raise_tenant_walls"]
        #expect(names.contains { text.contains("\($0)") }, "\(file) does not make its object")
        for line in text.split(separator: "\n") where line.count > 100 {
            Issue.record("\(file) has a line of \(line.count) columns: \(line)")
        }
    }
}
