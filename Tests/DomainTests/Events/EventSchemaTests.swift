import Domain
import Foundation
import Testing

struct EventSchemaTests {
    @Test(arguments: SchemaProbe.all)
    func `a type takes its own samples, with all of its fields or only those it must have`(
        probe: SchemaProbe
    ) throws {
        let newest = probe.eventType.newestVersion
        _ = try probe.event(newest, probe.eventType.sampleData)
        _ = try probe.event(newest, probe.newestFields.sample)
        _ = try probe.event(newest, probe.newestFields.filter(\.isRequired).sample)
        #expect(probe.type.hasPrefix("\(probe.owner)."))
        #expect(probe.eventType.about.hasSuffix("."))
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
                let remedy = "is missing; send \(field.expectation)"
                let isGone = !probe.newestFields.contains { $0.name == field.name }
                let newest = probe.eventType.newestVersion
                let newer = ", or `schemaversion` \(newest) with the fields of that version"
                #expect(error?.detail == remedy + (isGone ? newer : ""))
            }
        }
    }
}
