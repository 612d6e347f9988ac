import Foundation
import ProjectFiles
import Testing

/// A decision says on paper what a transport beside APNs would change. The code has to stay so.
@Suite("A second transport") struct SecondTransportTests {
    private static let decision =
        "docs/decisions/0077-a-second-transport-is-another-environment.md"

    @Test func `would change ten files, all of which there are`() throws {
        let page = try ProjectFiles.text(Self.decision)
        let paths = page.matches(of: /\n\| `(Sources\/[^`]+)` \|/).map { String($0.1) }
        #expect(paths.count == 10)
        for path in paths {
            let file = ProjectFiles.url(path)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(path) is gone")
        }
    }

    @Test(arguments: [
        // Who addresses a push to a phone.
        (
            "PushRequest.device(",
            ["Sources/AppKeys/Apps/KeyTrial.swift", "Sources/Delivery/Push.swift"]
        ),
        // Who knows what a push may weigh.
        ("devicePayloadBytesMax", ["Sources/PushDispatch/Sending/PushFormat.swift"]),
        // Who makes clients of the kind that the environment wants.
        ("APNsClient(", ["Sources/AppKeys/APNsSetup.swift"]),
    ])
    func `has one place for each thing that depends on it`(
        text: String, places: [String]
    ) throws {
        let files = try SourceTree.swiftFiles().filter { file in
            file.path.hasPrefix("Sources/") && !["APNs", "APNsClient"].contains(file.module)
                && file.code.contains { $0.contains(text) }
        }
        #expect(files.map(\.path) == places)
    }
}
