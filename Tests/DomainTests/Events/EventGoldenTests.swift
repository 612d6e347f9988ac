import Domain
import Foundation
import ProjectFiles
import TestSupport
import Testing

@testable import Projections

/// Data of every released version of every type, as they stand in somebody's log. A file is added
/// with a version and never changed or removed afterwards. `make docs` writes those that are
/// missing, from the samples of the fields.
struct EventGoldenTests {
    private static let directory = ProjectFiles.url("Tests/DomainTests/Golden/events")

    private func golden(_ type: String, _ version: Int) throws -> Data {
        try Data(contentsOf: Self.directory.appending(path: "\(type).v\(version).json"))
    }

    @Test func `every released version of every type still decodes`() throws {
        var expected: Set<String> = []
        for probe in SchemaProbe.all {
            for version in 1...probe.eventType.newestVersion {
                expected.insert("\(probe.type).v\(version).json")
                try writeIfMissing(probe.eventType, version)
                _ = try probe.event(version, try golden(probe.type, version))
            }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path())
        #expect(Set(files) == expected)
    }

    private func writeIfMissing(_ type: EventType, _ version: Int) throws {
        let file = Self.directory.appending(path: "\(type.name).v\(version).json")
        guard Derived.isWritten, version == type.newestVersion,
            !FileManager.default.fileExists(atPath: file.path())
        else { return }
        try type.sampleData.write(to: file)
    }

    @Test func `a kick of version 1 means what it meant`() throws {
        let schema = try #require(MatchKind.schemas.first { $0.type == "Match.ShootoutKickTaken" })
        func kick(_ version: Int, _ data: Data) throws -> Match.Kick {
            guard
                case .kick(let kick) = try schema.event(schemaVersion: version, data: data).subject
            else { throw CocoaError(.coderInvalidValue) }
            return kick
        }
        #expect(
            try kick(1, golden(schema.type, 1)) == kick(2, golden(schema.type, 2)))
        let missed = Data(#"{"number":1,"team":"away","scored":false,"foot":"left"}"#.utf8)
        let unknown = try kick(1, missed)
        #expect(unknown.result == .notScored)
        #expect(unknown.player == nil)
    }

    @Test func `the fields of one version do not pass for another`() throws {
        let schema = try #require(MatchKind.schemas.first { $0.type == "Match.ShootoutKickTaken" })
        for (version, other, missing) in [(1, 2, "result"), (2, 1, "scored")] {
            let data = try golden(schema.type, version)
            let refusal = #expect(throws: EventRefusal.self) {
                try schema.event(schemaVersion: other, data: data)
            }
            #expect(refusal?.pointer == "/data/\(missing)")
        }
        let unknown = #expect(throws: EventRefusal.self) {
            try schema.event(schemaVersion: 3, data: Data("{}".utf8))
        }
        #expect(unknown?.detail.contains("schema versions 1 to 2") == true)
    }
}
