import Foundation
import ProjectFiles
import Testing

/// A decision says on paper what a transport beside APNs would change. The code has to stay so.
@Suite("A second transport") struct SecondTransportTests {
    private static let decision =
        "docs/decisions/0077-a-second-transport-is-another-environment.md"

    /// The files that the decision names.
    private static func changed() throws -> [String] {
        try ProjectFiles.text(decision).matches(of: /\n\| `(Sources\/[^`]+)` \|/)
            .map { String($0.1) }
    }

    @Test func `would change ten files, all of which there are`() throws {
        let paths = try Self.changed()
        #expect(paths.count == 10)
        for path in paths {
            let file = ProjectFiles.url(path)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(path) is gone")
        }
    }

    @Test(arguments: [
        // Who addresses a push to a phone.
        (
            "APNsRequest.device(",
            ["Sources/AppKeys/Apps/AppClients.swift", "Sources/Delivery/Push.swift"]
        ),
        // Who knows what a push may weigh.
        ("devicePayloadBytesMax", ["Sources/DeliveryRules/Sending/PushFormat.swift"]),
        // Who makes clients of the kind that the environment wants.
        ("APNsClient(", ["Sources/AppKeys/APNsSetup.swift"]),
        // Who makes of an app's key what its pushes go with.
        ("APNsCredentials(", ["Sources/AppKeys/APNsSetup.swift"]),
        // Who knows of what kind the key is.
        (
            "ES256PrivateKey",
            ["Sources/AppKeys/APNsSetup.swift", "Sources/AppKeys/Apps/AppKeyFile.swift"]
        ),
        // Who knows how the id of a key looks, and whether its file has it.
        ("AppKeyFile.identifier(", ["Sources/AppKeys/APNsSetup.swift"]),
        ("keyIDOption.name", ["Sources/AppKeys/Apps/AppKeyFile.swift"]),
        // Who asks which environment it is.
        (".production", ["Sources/AppKeys/APNsSetup.swift"]),
    ])
    func `has one place for each thing that depends on it, which the decision names`(
        text: String, places: [String]
    ) throws {
        let ofAPNs = ["APNs", "APNsClient", "Simulator", "TLS"]
        let files = try SourceTree.swiftFiles().filter { file in
            file.path.hasPrefix("Sources/") && !ofAPNs.contains(file.module)
                && file.code.contains { $0.contains(text) }
        }
        #expect(files.map(\.path) == places)
        let changed = try Self.changed()
        let leftOut = places.filter { !changed.contains($0) }
        #expect(leftOut == [])
    }
}
