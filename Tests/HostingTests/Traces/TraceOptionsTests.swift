import Foundation
import Terminal
import Testing

@testable import Hosting

struct `Where traces go` {
    @Test func `is nowhere without a collector`() throws {
        #expect(try TraceOptions.of(serveArguments()) == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
        ("https://otel.example.com/islet", "https://otel.example.com/islet/v1/traces"),
        ("https://otel.example.com/v1/traces", "https://otel.example.com/v1/traces"),
    ])
    func `is the path for traces of the collector`(endpoint: String, url: String) throws {
        let options = try #require(
            try TraceOptions.of(serveArguments(["--otlp-endpoint", endpoint])))
        #expect(options.url == url)
        #expect(options.ratio == 0)
        #expect(options.headers.isEmpty)
    }

    @Test(arguments: ["127.0.0.1:4318", "grpc://h:4317", "http://", "http://h?a=b", "http://h#a"])
    func `is refused with an example when it is no collector's URL`(endpoint: String) throws {
        let words = try serveArguments(["--otlp-endpoint", endpoint])
        let failure = #expect(throws: CommandFailure.self) { _ = try TraceOptions.of(words) }
        #expect(
            failure?.text.hasPrefix("--otlp-endpoint must look like http://host:4318") == true)
    }

    @Test(arguments: ["https://u:topsecret@h/", "https://u:topsecret@h/?a", "topsecret@h"])
    func `is refused without what it says when it has a password`(endpoint: String) throws {
        let words = try serveArguments(["--otlp-endpoint", endpoint])
        let failure = #expect(throws: CommandFailure.self) { _ = try TraceOptions.of(words) }
        #expect(failure?.text.contains("--otlp-headers-file") == true)
        #expect(failure?.text.contains("topsecret") == false)
    }

    @Test(arguments: [("0", 0), ("0.01", 0.01), ("1", 1)] as [(String, Double)])
    func `takes a share of the events`(text: String, ratio: Double) throws {
        let words = try serveArguments(["--otlp-endpoint", "http://h:4318", "--trace-ratio", text])
        #expect(try TraceOptions.of(words)?.ratio == ratio)
    }

    @Test(arguments: ["1.01", "-0.1", "nan", "inf", "1%", "half", "0x1"])
    func `refuses a share that is none`(text: String) throws {
        let words = try serveArguments(["--otlp-endpoint", "http://h:4318", "--trace-ratio", text])
        #expect(
            throws: CommandFailure.usage(
                "--trace-ratio must be a number from 0 to 1, not \"\(text)\"")
        ) {
            _ = try TraceOptions.of(words)
        }
    }
}

struct `A collector's header fields` {
    private func headers(_ text: String) throws -> [String] {
        let directory = try PrivateDirectory("islet-trace-test")
        defer { directory.remove() }
        let file = directory.file("headers")
        try SecretFile.write(text, to: file)
        let words = try serveArguments([
            "--otlp-endpoint", "http://h:4318", "--otlp-headers-file", file,
        ])
        return try TraceOptions.of(words)?.headers.map { "\($0.name)=\($0.value)" } ?? []
    }

    @Test func `stand one on a line, and a value may have colons`() throws {
        #expect(
            try headers("authorization: Bearer k\n\n  X-Scope :a: b  \r\n")
                == ["authorization=Bearer k", "X-Scope=a: b"])
    }

    @Test func `have names as HTTP has them`() throws {
        #expect(try headers("x_api.key: k") == ["x_api.key=k"])
        #expect(throws: CommandFailure.self) { try headers("cl\u{EA}: k") }
    }

    @Test func `are refused rather than cut when they are too many`() {
        let many = String(repeating: "a: topsecret\n", count: 1_400)
        let failure = #expect(throws: CommandFailure.self) { _ = try headers(many) }
        #expect(failure?.text.hasSuffix("is longer than 16 KiB") == true)
    }

    @Test(arguments: [
        "topsecret", "two words: topsecret", ": topsecret", "a: topsecret\nb", "a: topsecret\u{7}",
    ])
    func `are refused without their text`(text: String) {
        let failure = #expect(throws: CommandFailure.self) { _ = try headers(text) }
        #expect(failure?.text.contains("must be a name, a colon and a value") == true)
        #expect(failure?.text.contains("topsecret") == false)
    }

    @Test func `must be in a file that can be read`() throws {
        let words = try serveArguments([
            "--otlp-endpoint", "http://h:4318", "--otlp-headers-file", "/nowhere/headers",
        ])
        let failure = #expect(throws: CommandFailure.self) { _ = try TraceOptions.of(words) }
        #expect(
            failure?.text.hasPrefix("--otlp-headers-file: /nowhere/headers does not exist") == true)
    }
}
