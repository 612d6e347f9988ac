import Foundation
import Glibc
import Testing

@testable import Archive

@Test func `an export is not written through links that somebody has planted`() async throws {
    let place = Place()
    let layout = place.layout()
    try FileManager.default.createDirectory(
        atPath: layout.directory, withIntermediateDirectories: true)
    let precious = layout.path(of: "precious")
    try "precious".write(toFile: precious, atomically: true, encoding: .utf8)
    for name in [layout.manifestName, layout.segmentName(1)] {
        #expect(symlink(precious, layout.partialPath(of: name)) == 0)
    }
    let summary = try await MemoryLog(count: 10).export(to: layout)
    #expect(summary.events == 10)
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
}

/// A pipe that nobody writes to, and a device without an end.
@Test(.timeLimit(.minutes(1)), arguments: ["events-000001.ndjson", "manifest.json"])
func `an export with a pipe or a device for a file is refused`(name: String) async throws {
    let place = Place()
    let layout = place.layout()
    try await MemoryLog(count: 10).export(to: layout)
    let path = layout.path(of: name)
    for plant in [{ mkfifo(path, 0o600) }, { symlink("/dev/zero", path) }] {
        unlink(path)
        #expect(plant() == 0)
        #expect(await Receiver().refusal(layout) == .file(path, "is no ordinary file"))
    }
}
