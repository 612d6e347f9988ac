import Foundation
import Terminal
import Testing

@testable import islet

/// Where a command reads or writes an archive.
struct `The place of an archive` {
    private static let command = Command(
        path: ["try"], summary: "For tests.", options: ArchiveLocation.options, examples: []
    ) { _ async throws(CommandFailure) in }

    private func refusal(_ place: String, _ words: String...) -> String {
        do throws(CommandFailure) {
            _ = try ArchiveLocation.layout(
                place, try Arguments(words, for: Self.command, environment: [:]))
            return ""
        } catch { return "\(error)" }
    }

    private func withCredentials(_ text: String, _ body: (String) throws -> Void) throws {
        let file = NSTemporaryDirectory() + "islet-s3-\(UUID().uuidString)"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o600)
        defer { try? FileManager.default.removeItem(atPath: file) }
        try body(file)
    }

    @Test func `may be a bucket, with credentials from a file`() throws {
        try withCredentials("aws_access_key_id=AK\naws_secret_access_key=verysecret\n") { file in
            #expect(refusal("s3://archive/shop", "--s3-credentials-file", file) == "")
            let wrong = refusal(
                "s3://archive/shop", "--s3-credentials-file", file, "--s3-endpoint",
                "http://minio.example")
            #expect(wrong.contains("--s3-allow-http"))
            #expect(!wrong.contains("verysecret"))
            #expect(
                refusal(
                    "s3://archive/shop", "--s3-credentials-file", file, "--s3-endpoint",
                    "http://minio.example", "--s3-allow-http") == "")
            #expect(
                refusal("s3://Archive", "--s3-credentials-file", file).contains("bucket"))
            #expect(
                refusal("s3://a-b", "--s3-credentials-file", file, "--s3-ca-file", file)
                    .contains("--s3-ca-file cannot be used"))
        }
        try withCredentials("AK verysecret") { file in
            let wrong = refusal("s3://archive", "--s3-credentials-file", file)
            #expect(wrong.contains("aws_secret_access_key"))
            #expect(!wrong.contains("verysecret"))
        }
        #expect(refusal("s3://archive", "--s3-credentials-file", "/none").contains("/none"))
    }

    @Test func `is on this machine, where options of buckets mean nothing`() {
        #expect(refusal("/archive/shop") == "")
        #expect(refusal("/archive/shop", "--s3-region", "eu-central-1").contains("--s3-region"))
    }

    @Test func `has what belongs to it beside it, or here when it is a bucket`() {
        #expect(ArchiveLocation.file(beside: "a/b/", ".run") == "a/b.run")
        #expect(ArchiveLocation.file(beside: "a.ndjson", ".run") == "a.ndjson.run")
        #expect(ArchiveLocation.file(beside: "s3://b/shops/x/", ".run") == "b-shops-x.run")
    }
}
