import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// The settings that `islet serve` reads from a file, and how an operator sees them.
@Suite(.timeLimit(.minutes(5)))
struct `Settings in a file` {
    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    @Test func `start a server, and SIGHUP takes over what it can`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let file = directory.file("islet.conf")
            let common = "database-url = \(database.url)\nnode-name = north\n"
            try write(common + "log-format = json\n", to: file)
            let program = try await IsletProgram.start(
                ["serve", "--port", "0", "--config", file], in: directory)
            try await waitUntil("it listens") {
                program.errors.contains(#""message":"listening","node":"north""#)
                    || program.isOver
            }
            try write(common + "log-format = text\nlog-level = error\n", to: file)
            await program.child.send(signal: SIGHUP)
            try await waitUntil("it says what counts after a restart") {
                program.errors.contains(#""option":"log-format""#)
            }
            await program.child.send(signal: SIGTERM)
            let result = await program.result()
            #expect(result.code == 0)
            #expect(!result.errors.contains(#""message":"stopped""#), "info is not written now")
            for line in result.errors.split(separator: "\n") {
                #expect(throws: Never.self, "\(line)") {
                    _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
                }
            }
        }
    }

    @Test func `are checked and shown without a server, and without secrets`() async throws {
        try await ScratchDirectory.with { directory in
            let file = directory.file("islet.conf")
            try write("database-url = postgresql://u:topsecret@h/a\nport = 9000\n", to: file)
            let variables = ["ISLET_CONFIG": file, "ISLET_HOST": "10.0.0.1"]
            let good = try await IsletProgram.run(
                ["config", "check"], in: directory, environment: variables)
            #expect(good.code == 0, "\(good.errors)")
            let shown = try await IsletProgram.run(
                ["config", "show", "--origins", "--log-level", "debug"], in: directory,
                environment: variables)
            let lines = shown.output.split(separator: "\n").map {
                $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
            }
            for line in [
                "port 9000 file, line 2", "host 10.0.0.1 ISLET_HOST", "log-level debug flag",
                "database-url (hidden) file, line 1", "drain-delay-seconds 0 default",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
            #expect(!shown.output.contains("topsecret"))
            try write("trusted-proxy = nowhere\nnode-name = a b\n", to: file)
            let bad = try await IsletProgram.run(
                ["config", "check", "--json"], in: directory, environment: variables)
            #expect(bad.code == 1)
            #expect(bad.output.contains("--trusted-proxy must be unix, an address"))
            #expect(bad.output.contains("--node-name must be"))
            try write("prot = 1\n", to: file)
            let wrong = try await IsletProgram.run(["serve"], in: directory, environment: variables)
            #expect(wrong.code == 2)
            #expect(wrong.errors.contains("\(file):1: islet serve has no setting 'prot'"))
        }
    }
}

/// The log of a busy server, at its most talkative.
@Suite(.timeLimit(.minutes(5)))
struct `What a server logs` {
    @Test(arguments: ["text", "json", "journald"])
    func `has no token, no key and no name, whatever goes wrong`(format: String) async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let key = try await RunningServer.makeKey(in: database)
            let master = String(repeating: "5c", count: 32)
            let masterFile = directory.file("master.key")
            try Data(master.utf8).write(to: URL(filePath: masterFile))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: masterFile)
            let options = [
                "--database-url", database.url, "--master-key-file", masterFile,
                "--webhook-allow-private", "--log-level", "debug", "--metrics-port", "0",
                "--apns-url", "https://127.0.0.1:9",
            ]
            let hook = try await IsletProgram.run(
                [
                    "webhooks", "add", "--tenant", "shop", "--url",
                    "http://127.0.0.1:9/Kaethe-hook", "--json", "--webhook-allow-private",
                    "--master-key-file", masterFile, "--database-url", database.url,
                ], in: directory)
            #expect(hook.code == 0, "\(hook.errors)")
            let token = String(repeating: "ab12", count: 20)
            // The regular expression that finds the port reads text.
            let words = ["serve", "--port", "0", "--log-format", format] + options
            let program = try await IsletProgram.start(words, in: directory)
            try await waitUntil("it listens") {
                program.errors.contains("http://127.0.0.1:") && program.errors.contains("listening")
                    || program.isOver
            }
            let port = try #require(
                program.errors.matches(of: /http:\/\/127\.0\.0\.1:(\d+)/).compactMap {
                    Int($0.1)
                }.last, "\(program.errors)")
            let server = RunningServer(program: program, port: port)
            try await trouble(server, key, token, directory)
            try await waitUntil("the webhook fails", within: 30) {
                program.errors.contains("nothing arrives at a webhook")
            }
            await program.child.send(signal: SIGHUP)
            await program.child.send(signal: SIGTERM)
            let result = await program.result()
            let secrets = [
                key, token, master, "wrong-key", "Kaethe", "Kollwitz", "order-of-Ada", "shop\"",
                hook.output.firstMatch(of: /whsec_[A-Za-z0-9+\/=]+/).map { String($0.0) } ?? "none",
            ]
            for secret in secrets {
                #expect(!result.errors.contains(secret), "\(secret)")
                #expect(!result.output.contains(secret), "\(secret)")
            }
        }
    }

    private func trouble(
        _ server: RunningServer, _ key: String, _ token: String, _ directory: ScratchDirectory
    ) async throws {
        func event(_ id: String, _ type: String, _ data: String) -> String {
            """
            {"specversion":"1.0","id":"\(id)","source":"/Kaethe","subject":"order-of-Ada",
             "time":"2026-05-01T12:00:00Z","type":"PizzaDelivery.\(type)","data":\(data)}
            """
        }
        let placed = """
            {"orderNumber":"Kollwitz","numberOfPizzas":2,"totalAmount":"9",
             "promisedAt":"2026-05-01T13:00:00Z"}
            """
        let bodies = [
            event("1", "OrderPlaced", placed), event("2", "OrderAccepted", "{}"),
            event("3", "DriverAssigned", #"{"driverName":"Kaethe Kollwitz"}"#),
            event("4", "Nonsense", #"{"who":"Kaethe"}"#), "{\"Kaethe\"", "",
        ]
        for body in bodies {
            _ = try await server.post(body, key: key, in: directory)
            _ = try await server.post(body, key: "wrong-key-Kollwitz", in: directory)
        }
        let registration = """
            {"pushToken":"\(token)","environment":"sandbox","bundleId":"dev.islet.app"}
            """
        let answer = try await server.post(
            registration, key: key, to: "/v1/activities/order-of-Ada/registrations",
            type: "application/json", in: directory)
        #expect(answer.status == 201 || answer.status == 200, "\(answer.body)")
        _ = try await server.curl("/v1/activities/order-of-Ada", key: key, in: directory)
        _ = try await server.curl("/v1/activities/Kaethe?x=Kollwitz", key: key, in: directory)
    }
}
