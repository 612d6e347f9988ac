import Foundation
import TLS
import Terminal
import Testing

@testable import Hosting

struct `A webhook's URL` {
    private func options(_ words: String...) throws -> WebhookOptions {
        try WebhookOptions(serveArguments(words))
    }

    @Test(arguments: [
        "https://hooks.example.com", "https://hooks.example.com/islet?a=b",
        "https://93.184.216.34:8443/islet", "HTTPS://hooks.example.com/islet",
    ])
    func `is taken by HTTPS where anybody can reach it`(url: String) throws {
        #expect(try options().complaint(about: url) == nil)
    }

    @Test(arguments: [
        "https://localhost/islet", "https://LOCALHOST/islet", "https://localhost./islet",
        "https://app.localhost/islet", "https://127.0.0.1/islet",
        "https://127.1/", "https://2130706433/", "https://10.0.0.8/", "https://192.168.1.1/",
        "https://169.254.169.254/latest", "https://[::1]/", "https://[fd00::1]/",
    ])
    func `leads to no address of ours, unless that is allowed`(url: String) throws {
        #expect(
            try options().complaint(about: url)
                == "must be one that anybody on the Internet can reach")
        #expect(try options("--webhook-allow-private").complaint(about: url) == nil)
    }

    /// The sender reads URLs otherwise than Foundation.
    @Test(arguments: [
        "https://127.0.0.1;x/", "https://127.0.0.1%00.example.com/", "https://h,x/", "https://h(x/",
    ])
    func `has a host that can be asked`(url: String) throws {
        for options in [try options(), try options("--webhook-allow-private")] {
            #expect(options.complaint(about: url) != nil)
        }
    }

    /// The sender takes `%2e` for a full stop.
    @Test(arguments: ["https://127.0.0.1./islet", "https://127.0.0.1%2e/islet"])
    func `leads to no address of ours in another spelling`(url: String) throws {
        #expect(try options().complaint(about: url) != nil)
    }

    @Test func `may do without TLS only where private ones are allowed`() throws {
        let url = "http://127.0.0.1:8099/islet"
        #expect(try options().complaint(about: url) == "must look like https://host/path")
        #expect(try options("--webhook-allow-private").complaint(about: url) == nil)
    }

    @Test(arguments: [
        "", "hooks.example.com", "ftp://h/", "https://", "https:///path", "https://h/a b",
        "https://hööks.example.com/", "https://h/a\nb",
    ])
    func `must look like one, whatever is allowed`(url: String) throws {
        #expect(try options().complaint(about: url) == "must look like https://host/path")
        #expect(
            try options("--webhook-allow-private").complaint(about: url)
                == "must look like https://host/path")
    }

    @Test(arguments: ["https://hooks.example.com:0/", "https://hooks.example.com:65536/"])
    func `has a port that there is`(url: String) throws {
        #expect(try options().complaint(about: url) == "must have a port from 1 to 65535, or none")
    }

    @Test(arguments: ["https://u:p@hooks.example.com/", "https://hooks.example.com/#a"])
    func `has neither a user nor a fragment`(url: String) throws {
        #expect(
            try options().complaint(about: url) == "must have neither a user nor a fragment")
    }

    @Test func `is not longer than 2,000 bytes`() throws {
        let start = "https://hooks.example.com/"
        let longest = start + String(repeating: "a", count: 2_000 - start.utf8.count)
        #expect(try options().complaint(about: longest) == nil)
        #expect(
            try options().complaint(about: longest + "a")
                == "must not be longer than 2000 bytes")
    }

    @Test(arguments: ["webhook", "apns"], [nil, "", "no certificate\n"])
    func `is trusted by an authority whose file has a certificate`(
        kind: String, text: String?
    ) throws {
        let file = NSTemporaryDirectory() + "islet-authority-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try text?.write(toFile: file, atomically: true, encoding: .utf8)
        let option = "--\(kind)-authority-file"
        let complaints = ServerSettings.complaints(try serveArguments([option, file]))
        #expect(complaints.count == 1, "\(complaints)")
        #expect(complaints.first?.hasPrefix("\(option) cannot be used: ") == true)
        #expect(complaints.first?.contains(file) == true)
    }

    @Test func `is trusted by an authority of ours`() throws {
        let file = NSTemporaryDirectory() + "islet-authority-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try SelfSignedAuthority.make(hosts: ["localhost"]).authorityPEM
            .write(toFile: file, atomically: true, encoding: .utf8)
        for option in ["--webhook-authority-file", "--apns-authority-file"] {
            #expect(ServerSettings.complaints(try serveArguments([option, file])) == [])
        }
    }
}
