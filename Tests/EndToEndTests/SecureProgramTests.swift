import EventLoop
import Foundation
import Glibc
import TLS
import TestSupport
import Testing

/// `islet serve` with a certificate, and on a Unix-domain socket.
@Suite(.timeLimit(.minutes(5)))
struct `A server with a certificate of its own` {
    private func write(_ authority: SelfSignedAuthority, in directory: ScratchDirectory) throws {
        for (text, name) in [
            (authority.authorityPEM, "authority"), (authority.certificatePEM, "certificate"),
            (authority.privateKeyPEM, "key"),
        ] {
            try Data(text.utf8).write(to: URL(filePath: directory.file(name)))
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: directory.file("key"))
    }

    private func curl(
        _ url: String, _ arguments: [String], in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        let words = [
            "curl", "--silent", "--max-time", "30", "--cacert", directory.file("authority"),
            "--write-out", " HTTP/%{http_version} %{http_code}", url,
        ]
        return await (try IsletProgram.start(program: words + arguments, in: directory)).result()
    }

    @Test func `takes events by HTTP2, shows a new one at SIGHUP, and keeps it when files are bad`()
        async throws
    {
        let database = try await TestDatabase.make()
        let key = try await RunningServer.makeKey(in: database)
        try await ScratchDirectory.with { directory in
            try write(SelfSignedAuthority.make(hosts: ["127.0.0.1"]), in: directory)
            let options = [
                "--database-url", database.url, "--tls-certificate",
                directory.file("certificate"), "--tls-key", directory.file("key"),
                "--metrics-port", "0", "--metrics-tls",
            ]
            try await RunningServer.with(options, in: directory) { server in
                let url = "https://127.0.0.1:\(server.port)"
                let authorization = ["--header", "Authorization: Bearer \(key)"]
                let me = try await curl("\(url)/v1/me", authorization, in: directory)
                #expect(me.output.hasSuffix(" HTTP/2 200"), "\(me)")
                let old = try await curl("\(url)/livez", ["--http1.1"], in: directory)
                #expect(old.output.hasSuffix(" HTTP/1.1 200"), "\(old)")
                let metrics = try await curl(
                    "https://127.0.0.1:\(server.metricsPort ?? 0)/metrics", [], in: directory)
                #expect(metrics.output.contains("islet_tls_certificate_end_seconds "))

                try write(SelfSignedAuthority.make(hosts: ["127.0.0.1"]), in: directory)
                try await server.reload(expecting: "read again option=--tls-certificate")
                let new = try await curl("\(url)/livez", [], in: directory)
                #expect(new.code == 0, "\(new)")
                try Data("no key".utf8).write(to: URL(filePath: directory.file("key")))
                try await server.reload(
                    expecting: "what was read before stays in force option=--tls-certificate")
                #expect(try await curl("\(url)/livez", [], in: directory).code == 0)
                // Without a signal: within the time between two looks.
                try write(SelfSignedAuthority.make(hosts: ["127.0.0.1"]), in: directory)
                try await waitUntil("the files are read", within: 60) {
                    server.program.errors.contains("the files of --tls-certificate have changed")
                }
                #expect(try await curl("\(url)/livez", [], in: directory).code == 0)
            }
        }
    }

    @Test func `starts with no certificate that it cannot serve`() async throws {
        try await ScratchDirectory.with { directory in
            try write(SelfSignedAuthority.make(hosts: ["127.0.0.1"]), in: directory)
            let (certificate, key) = (directory.file("certificate"), directory.file("key"))
            for (options, words) in [
                (["--tls-certificate", key, "--tls-key", key], "has no certificate in PEM form"),
                (
                    ["--tls-certificate", certificate, "--tls-key", certificate],
                    "has no private key"
                ),
                (["--tls-certificate", "/none", "--tls-key", key], "/none does not exist"),
                (["--metrics-port", "0", "--metrics-tls"], "--metrics-tls needs a certificate"),
                (["--socket-mode", "999"], "--socket-mode must be permissions"),
            ] {
                let program = try await IsletProgram.start(
                    ["serve", "--port", "0"] + options, in: directory)
                let result = await program.result()
                #expect(result.code != 0)
                #expect(result.errors.contains(words), "\(result.errors)")
            }
        }
    }

    @Test func `listens on a path, and says whose it is when it is taken`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let path = directory.file("s")
            let words = [
                "serve", "--host", "unix:\(path)", "--trusted-proxy", "unix", "--socket-mode",
                "600", "--database-url", database.url,
            ]
            let program = try await IsletProgram.start(words, in: directory)
            try await waitUntil("the server listens or ends") {
                program.errors.contains("listening url=unix:") || program.isOver
            }
            let answer = try await curl(
                "http://islet/livez", ["--unix-socket", path], in: directory)
            #expect(answer.output.hasSuffix(" HTTP/1.1 200"), "\(answer)")
            let second = try await IsletProgram.start(words, in: directory)
            let refusal = await second.result()
            #expect(refusal.code == 1)
            #expect(refusal.errors.contains("another process accepts connections there"))
            await program.child.send(signal: SIGTERM)
            _ = await program.child.ending()
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
