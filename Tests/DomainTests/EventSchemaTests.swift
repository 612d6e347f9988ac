import Domain
import Foundation
import Testing

struct EventSchemaTests {
    /// Label of the enum's case and the stored properties of its payload.
    private func shape(of event: Any) -> (label: String, properties: [String]) {
        let child = Mirror(reflecting: event).children.first
        let payload = child.map { Mirror(reflecting: $0.value).children.compactMap(\.label) }
        return (child?.label ?? "", payload ?? [])
    }

    @Test(arguments: SchemaProbe.all)
    func `fields, properties, cases and stored types agree`(probe: SchemaProbe) throws {
        let newest = probe.eventType.newestVersion
        let full = try probe.event(newest, probe.newestFields.sample)
        let (label, properties) = shape(of: full)
        #expect(properties == probe.newestFields.map(\.name))
        let name = label.prefix(1).uppercased() + label.dropFirst()
        #expect(probe.type == "\(probe.owner).\(name)")
        _ = try probe.event(newest, probe.newestFields.filter(\.isRequired).sample)
    }

    @Test func `no two types share a name`() {
        let types = SchemaProbe.all.map(\.type)
        #expect(Set(types).count == types.count)
        #expect(types.count > 40)
    }

    @Test(arguments: SchemaProbe.all)
    func `every required field of every version is missed by name`(probe: SchemaProbe) {
        for (index, fields) in probe.eventType.versions.enumerated() {
            for field in fields where field.isRequired {
                let rest = fields.filter { $0 != field }.sample
                let error = #expect(throws: EventRefusal.self) {
                    try probe.event(index + 1, rest)
                }
                #expect(error?.pointer == "/data/\(field.name)")
                #expect(error?.detail == "is missing; send \(field.expectation)")
            }
        }
    }
}
