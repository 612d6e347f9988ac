import Terminal
import Testing

@testable import Hosting

struct `The settings of a server` {
    private func row(
        _ name: String, _ words: [String] = [], _ environment: [String: String] = [:]
    ) throws -> ServerSettings.Row {
        let rows = ServerSettings.rows(try serveArguments(words, environment))
        return try #require(rows.first { $0.name == name })
    }

    @Test func `are shown with their value and where it comes from`() throws {
        let port = try row("port")
        #expect((port.value, port.origin) == ("8080", "default"))
        let typed = try row("port", ["--port", "9000"], ["ISLET_PORT": "1"])
        #expect((typed.value, typed.origin) == ("9000", "flag"))
        let proxies = try row("trusted-proxy", [], ["ISLET_TRUSTED_PROXY": "unix,::1"])
        #expect((proxies.value, proxies.origin) == ("unix, ::1", "ISLET_TRUSTED_PROXY"))
        #expect(try row("cors-origin").value == nil)
    }

    @Test(arguments: [
        ("database-url", "DATABASE_URL", "postgresql://u:topsecret@h/a"),
        ("apns-proxy", "ISLET_APNS_PROXY", "http://u:topsecret@proxy:3128"),
    ])
    func `are hidden where a password may be in them`(
        name: String, variable: String, text: String
    ) throws {
        let hidden = try row(name, [], [variable: text])
        #expect(hidden.isSecret)
        #expect(hidden.value == "(hidden)")
        #expect(hidden.origin == variable)
        #expect(try row(name).value == nil)
        let rows = ServerSettings.rows(try serveArguments([], [variable: text]))
        #expect(!rows.contains { $0.value?.contains("topsecret") == true })
    }

    @Test func `are hidden where a password is that does not belong there`() throws {
        for text in ["https://u:topsecret@h/", "https://u:topsecret@h/?a", "http://topsecret@h"] {
            let endpoint = try row("otlp-endpoint", [], ["ISLET_OTLP_ENDPOINT": text])
            #expect(endpoint.value == "(hidden)")
        }
        let plain = try row("otlp-endpoint", ["--otlp-endpoint", "http://h:4318/a@b"])
        #expect(plain.value == "http://h:4318/a@b")
    }

    @Test func `that libpq refuses are named before a server waits for its database`() throws {
        let complaints = ServerSettings.complaints(
            try serveArguments(["--database-url", "postgresql://a@h:99999999/a"]))
        #expect(
            complaints == [
                "--database-url has a value that libpq refuses: invalid port number: …"
            ])
    }

    @Test func `that SIGHUP reads again are what the reference marks`() throws {
        let rows = ServerSettings.rows(try serveArguments())
        #expect(
            Set(rows.filter(\.isReloadable).map(\.name)) == [
                "tls-certificate", "tls-key", "database-url-file", "master-key-file",
                "apns-key-file", "apns-key-id", "apns-team-id", "log-level",
            ])
        #expect(!rows.contains { $0.name == "config" }, "a file cannot name another one")
    }

    @Test func `are all looked at, so that one run shows all that is wrong`() throws {
        let complaints = ServerSettings.complaints(
            try serveArguments([
                "--node-name", "a b", "--trusted-proxy", "nowhere", "--cors-origin", "nowhere",
                "--socket-mode", "9", "--metrics-port", "0", "--metrics-tls",
                "--master-key-file", "/nowhere/key", "--webhook-authority-file", "/nowhere/ca",
                "--otlp-endpoint", "nowhere",
            ]))
        #expect(
            complaints.map { String($0.prefix { $0 != " " && $0 != ":" }) } == [
                "--node-name", "--trusted-proxy", "--cors-origin", "--socket-mode",
                "--metrics-tls", "--master-key-file", "--webhook-authority-file",
                "--otlp-endpoint",
            ])
    }

    @Test func `that are refused do not show a password`() throws {
        let complaints = ServerSettings.complaints(
            try serveArguments(["--database-url", "postgresql://u:top/secret@h/a"]))
        #expect(complaints.count == 1)
        #expect(complaints.first?.hasPrefix("--database-url ") == true)
        #expect(complaints.first?.contains("secret") == false)
    }

    @Test func `are fine as they are by default`() throws {
        #expect(ServerSettings.complaints(try serveArguments()) == [])
    }

    @Test func `have a line each in the page about them`() throws {
        let page = ServerSettings.page.split(separator: "\n")
        for row in ServerSettings.rows(try serveArguments()) {
            let lines = page.filter { $0.hasPrefix("| `\(row.name)` |") }
            #expect(lines.count == 1, "\(row.name)")
            #expect(lines.first?.contains("| yes |") == row.isReloadable, "\(row.name)")
        }
    }

    @Test func `say in their lines which numbers and words they take`() {
        let page = ServerSettings.page.split(separator: "\n")
        for option in Server.options where option.name != "config" {
            let line = page.first { $0.hasPrefix("| `\(option.name)` |") } ?? ""
            let values =
                switch option.value {
                case .flag: "1, true, 0, false"
                case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
                case .choice(let words): words.joined(separator: ", ")
                case .text, .place, .speed: ""
                }
            #expect(line.contains("| \(values) |"), "\(line)")
        }
    }
}
