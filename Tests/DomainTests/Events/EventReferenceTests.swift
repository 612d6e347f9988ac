import Domain
import Foundation
import ProjectFiles
import Projections
import Testing

/// The reference of events says what the code checks, no more and no less: the sections of its
/// types are made of what the types say of themselves.
struct EventReferenceTests {
    private static let file = ProjectFiles.url("docs/reference/events.md")

    @Test func `every type, version and field stands in the reference`() throws {
        let page = try String(contentsOf: Self.file, encoding: .utf8)
        let derived = Self.page(from: page)
        if Derived.isWritten { try Data(derived.utf8).write(to: Self.file) }
        #expect(derived == page || Derived.isWritten, "run `make docs`")
    }

    /// What people have written of each kind, with the types behind it as they are.
    private static func page(from page: String) -> String {
        var sections = page.components(separatedBy: "\n## ")
        var owners = SchemaProbe.all.map(\.owner)
        for (place, section) in sections.enumerated() {
            let heading = String(section.prefix { $0 != "\n" })
            let types = SchemaProbe.all.filter { $0.owner == heading }.map(\.eventType)
            guard !types.isEmpty else { continue }
            owners.removeAll { $0 == heading }
            let text = section.components(separatedBy: "\n### `")[0]
            let parts = [text.trimmingCharacters(in: .newlines)] + types.map(section(of:))
            sections[place] = parts.joined(separator: "\n\n") + "\n"
        }
        for owner in owners { Issue.record("the reference has no section \(owner)") }
        return sections.joined(separator: "\n## ")
    }

    private static func section(of type: EventType) -> String {
        let isEmpty = type.versions == [[]]
        var parts = [
            "### `\(type.name)`", wrapped(type.about + (isEmpty ? " Its data are `{}`." : "")),
        ]
        for version in (1...type.newestVersion).reversed() {
            let change = version < type.newestVersion ? ", where \(type.changes[version - 1])" : ""
            if type.newestVersion > 1 { parts.append("Schema version \(version)\(change):") }
            if let fields = type.fields(of: version), !isEmpty { parts.append(table(fields)) }
        }
        return parts.joined(separator: "\n\n")
    }

    private static func table(_ fields: [EventField]) -> String {
        let rows = fields.map { field in
            let presence = field.isRequired ? "required" : "optional"
            let person = field.isPersonal ? ", personal" : ""
            return "| `\(field.name)` | \(presence)\(person) | \(field.expectation) |"
        }
        return (["| field | | must be |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private static func wrapped(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let isFull = lines[lines.count - 1].count + 1 + word.count > 120
            if isFull { lines.append("") }
            let line = lines[lines.count - 1]
            lines[lines.count - 1] = line.isEmpty ? String(word) : "\(line) \(word)"
        }
        return lines.joined(separator: "\n")
    }
}
