import Foundation
import ObjectStorage
import ProjectFiles
import Testing

@testable import Archive

/// An S3 server that others wrote. It computes each signature by AWS's own library and refuses
/// those that differ; it does not look whether the body has the digest that was signed.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: ProjectFiles.hasPython("buckets"),
        "needs an S3 server in Python: make test and make peers install it"))
struct ForeignBucketTests {
    @Test func `a foreign server takes an archive, and gives it back`() async throws {
        try await ForeignBucket.with { foreign in
            let log = MemoryLog(count: 1_200)
            let place = Place()
            let local = try await log.export(to: place.layout(segmentEvents: 500))
            for who in ["writer", "session"] {
                let layout = try foreign.layout("a shop+ü/\(who)", as: who)
                let summary = try await log.export(to: layout)
                #expect(summary == local)
                let receiver = Receiver()
                let imported = try await receiver.take(layout, chain: local.chain)
                #expect(imported.recorded == 1_200)
                #expect(try await log.export(to: layout).segmentsKept == 3)
                try await ArchiveFiles.with(layout) { (files) async throws(ArchiveError) in
                    try await files.append([65, 10], toEndOf: "ledger.ndjson")
                }
            }
            let reading = try foreign.layout("a shop+ü/writer", as: "reader")
            #expect(try await Receiver().take(reading).recorded == 1_200)
        }
    }

    @Test func `a foreign server refuses what is signed wrongly, or not allowed`() async throws {
        try await ForeignBucket.with { foreign in
            for (layout, code) in [
                (try foreign.layout("a", as: "writer", secret: "wrong"), "SignatureDoesNotMatch"),
                (try foreign.layout("a", as: "session", token: "wrong"), "InvalidToken"),
                (try foreign.layout("a", as: "reader"), "AccessDenied"),
            ] {
                do throws(ArchiveError) {
                    try await MemoryLog(count: 10).export(to: layout)
                    Issue.record("it was taken")
                } catch { #expect(error.description.contains(code), "\(error)") }
            }
            let none = try foreign.layout("a", as: "writer")
            guard case .noManifest? = await Receiver().refusal(none) else {
                Issue.record("there is an export, though all were refused")
                return
            }
        }
    }
}

/// The server as it runs.
private struct ForeignBucket: Decodable {
    struct Key: Decodable {
        var id: String
        var secret: String
        var token: String?
    }

    var endpoint: String
    var keys: [String: Key]

    /// Made by `make test`, and by
    /// `tools/venv .build/buckets/venv Tests/ArchiveTests/Foreign/requirements.txt`.
    static let python = ProjectFiles.python("buckets")

    static func with(_ body: (ForeignBucket) async throws -> Void) async throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = python
        process.arguments = ["-B", ProjectFiles.url("Tests/ArchiveTests/Foreign/bucket.py").path]
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        let result: Result<Void, any Error>
        do {
            var text = Data()
            while !text.contains(UInt8(ascii: "\n")) {
                let part = output.fileHandleForReading.availableData
                guard !part.isEmpty else { break }
                text += part
            }
            result = .success(try await body(JSONDecoder().decode(ForeignBucket.self, from: text)))
        } catch { result = .failure(error) }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        try result.get()
    }

    func layout(
        _ name: String, as user: String, secret: String? = nil, token: String? = nil
    ) throws -> Layout {
        let key = try #require(keys[user])
        let credentials = try #require(
            BucketCredentials(
                keyID: key.id, secret: secret ?? key.secret, sessionToken: token ?? key.token))
        var layout = Layout(
            "s3://archive/\(name)",
            in: try Bucket(
                "archive", endpoint: endpoint, region: "eu-central-1", credentials: credentials))
        layout.segmentEventsMax = 500
        return layout
    }
}
