import Domain
import Foundation
import Testing

/// The reference of events says what the code checks, no more and no less.
struct EventReferenceTests {
    private func reference() throws -> [String: [String]] {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(
            contentsOf: root.appending(path: "docs/reference/events.md"), encoding: .utf8)
        var sections: [String: [String]] = [:]
        for section in text.split(separator: "\n### `").dropFirst() {
            let lines = section.split(separator: "\n")
            let type = String(lines[0].prefix { $0 != "`" })
            sections[type] = lines.filter { $0.hasPrefix("| `") }.map(String.init)
        }
        return sections
    }

    private func rows(_ fields: [EventField]) -> [String] {
        fields.map {
            "| `\($0.name)` | \($0.isRequired ? "required" : "optional") | \($0.expectation) |"
        }
    }

    /// The newest version first, then the older ones, newest of them first.
    private func expected(_ type: EventType) -> [String] {
        type.versions.reversed().flatMap { rows($0) }
    }

    @Test func `every type, version and field stands in the reference`() throws {
        let reference = try reference()
        let types = SchemaProbe.all.map(\.eventType)
        for type in types { #expect(reference[type.name] == expected(type), "\(type.name)") }
        #expect(Set(reference.keys) == Set(types.map(\.name)))
    }
}
