import Foundation
import Terminal
import Testing

struct `The simulate command` {
    @Test(arguments: [
        (#"{"phones":[{"kind":"Match","activity":"final"}]}"#, "phones[0]: name must have 1 to"),
        (#"{"phones":[{"name":"Ann","iosVersion":"16.0","kind":"Match"}]}"#, "phones[0]: "),
        (#"{"faults":[{"away":"phone-3"}]}"#, "faults[0]: no phone has this id"),
        (#"{"faults":[{"streams":1,"share":2}]}"#, "faults[0].share"),
    ])
    func `ends with code 2 for a scenario that cannot be played`(
        scenario: String, sentence: String
    ) async throws {
        let folder = NSTemporaryDirectory() + "islet-scenario-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/scenario.json"
        try Data(scenario.utf8).write(to: URL(filePath: file))
        let refusal = await CommandWords(
            [
                "simulate", "--apns-port", "0", "--management-port", "0", "--control-port", "0",
                "--credentials-dir", folder, "--scenario", file,
            ]
        ).refusal()
        #expect(refusal?.exitCode == 2, "\(refusal?.text ?? "it began")")
        #expect(refusal?.text.contains(sentence) == true, "\(refusal?.text ?? "it began")")
    }
}
