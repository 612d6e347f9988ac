import API
import HTTP
import Terminal
import Testing

@testable import Hosting

struct `The way in` {
    @Test(
        arguments: [
            ([], "127.0.0.1"), (["--host", "0.0.0.0"], "127.0.0.1"),
            (["--host", "::1", "--metrics-host", "::"], "::"),
            (["--host", "localhost"], "127.0.0.1"), (["--host", "::"], "127.0.0.1"),
        ] as [([String], String)])
    func `is no port for metrics too`(hosts: [String], place: String) throws {
        let words = try serveArguments(hosts + ["--port", "9000", "--metrics-port", "9000"])
        #expect(
            throws: CommandFailure.usage(
                "--port and --metrics-port are both 9000, at \(place); give another "
                    + "--metrics-port")
        ) {
            try FrontDoor.refuseSharedAddress(words)
        }
        #expect(ServerSettings.complaints(words).count == 1)
    }

    @Test(arguments: [
        ["--port", "0", "--metrics-port", "0"], ["--port", "9000", "--metrics-port", "9001"],
        ["--port", "9000", "--metrics-port", "9000", "--metrics-host", "127.0.0.2"],
        ["--port", "9000", "--metrics-port", "9000", "--metrics-host", "unix:/run/metrics"],
        ["--host", "unix:/run/islet", "--metrics-port", "8080"], [],
    ])
    func `may be beside that for metrics`(words: [String]) throws {
        try FrontDoor.refuseSharedAddress(serveArguments(words))
    }

    @Test(
        arguments: [
            (["--host", "unix:"], "--host"),
            (["--metrics-port", "0", "--metrics-host", "unix:"], "--metrics-host"),
            (["--host", "unix:/" + String(repeating: "a", count: 107)], "--host"),
        ] as [([String], String)])
    func `is no socket without a path, or with one that is too long`(
        words: [String], option: String
    ) throws {
        let arguments = try serveArguments(words)
        let failure = #expect(throws: CommandFailure.self) {
            try FrontDoor.refuseUnusableSockets(arguments)
        }
        #expect(failure?.text.hasPrefix("\(option) ") == true, "\(failure?.text ?? "")")
        #expect(ServerSettings.complaints(arguments).count == 1)
    }

    @Test(arguments: [["--host", "unix:/run/islet.sock"], ["--host", "127.0.0.1"], []])
    func `may be a socket with a path`(words: [String]) throws {
        try FrontDoor.refuseUnusableSockets(serveArguments(words))
    }

    @Test func `is no socket for metrics too`() throws {
        let words = try serveArguments([
            "--host", "unix:/a", "--metrics-port", "0", "--metrics-host", "unix:/a",
        ])
        #expect(
            throws: CommandFailure.usage(
                "--host and --metrics-host are one socket, unix:/a; give two")
        ) {
            try FrontDoor.refuseSharedAddress(words)
        }
    }

    @Test(arguments: [("600", 0o600), ("0666", 0o666), ("777", 0o777)] as [(String, UInt32)])
    func `has a socket with the permissions that are given`(text: String, mode: UInt32) throws {
        #expect(try FrontDoor.socketMode(serveArguments(["--socket-mode", text])) == mode)
        #expect(try FrontDoor.socketMode(serveArguments()) == 0o660)
    }

    @Test(arguments: ["8", "rw-rw----", "1777", "-1", "0o660"])
    func `refuses what are no permissions, with an example`(text: String) {
        #expect(
            throws: CommandFailure.usage(
                "--socket-mode must be permissions as chmod takes them, such as 660, "
                    + "not \"\(text)\"")
        ) {
            try FrontDoor.socketMode(serveArguments(["--socket-mode", text]))
        }
    }

    @Test func `trusts addresses, networks and the socket, and nobody by default`() throws {
        #expect(try FrontDoor.proxies(serveArguments()) == [])
        let wanted = ["10.0.0.0/8", "192.0.2.7", "fd00::/8", "unix"]
        let ranges = try FrontDoor.proxies(
            serveArguments([], ["ISLET_TRUSTED_PROXY": wanted.joined(separator: ",")]))
        #expect(ranges == wanted.compactMap { AddressRange($0) })
        #expect(ranges.count == 4)
    }

    @Test(arguments: ["10.0.0.0/33", "fd00::/129", "10.0.0.0/", "10.0.0.0/x", "proxy.example"])
    func `refuses a proxy that is no network, with what there may be`(text: String) {
        #expect(
            throws: CommandFailure.usage(
                "--trusted-proxy must be unix, an address or a network such as 10.0.0.0/8 or "
                    + "fd00::/8, not \"\(text)\"")
        ) {
            try FrontDoor.proxies(serveArguments(["--trusted-proxy", text]))
        }
    }

    @Test(arguments: [
        "app.example.com", "*", "null", "https://", "https://app.example.com/path", "ftp://host",
    ])
    func `refuses an origin that no browser writes, with two that are right`(text: String) throws {
        let words = try serveArguments([
            "--cors-origin", "https://app.example.com", "--cors-origin", text,
        ])
        let failure = #expect(throws: CommandFailure.self) { _ = try FrontDoor.cors(words) }
        #expect(failure?.text.contains("https://app.example.com or http://localhost:5173") == true)
        #expect(failure?.text.hasSuffix("not \"\(text)\"") == true)
    }

    @Test func `does not repeat the password of an origin`() throws {
        let words = try serveArguments(["--cors-origin", "https://user:secret@app.example.com"])
        let failure = #expect(throws: CommandFailure.self) { _ = try FrontDoor.cors(words) }
        #expect(failure?.text.contains("secret") == false)
        #expect(failure?.text.hasSuffix("not one with a user") == true)
    }

    @Test func `takes the origins that its own complaint advises`() throws {
        let words = try serveArguments([
            "--cors-origin", "https://app.example.com", "--cors-origin", "http://localhost:5173",
        ])
        #expect(throws: Never.self) { _ = try FrontDoor.cors(words) }
    }

    @Test func `shows metrics by TLS only with a certificate`() throws {
        let secure = try serveArguments(["--metrics-port", "0", "--metrics-tls"])
        #expect(
            throws: CommandFailure.usage(
                "--metrics-tls needs a certificate; give --tls-certificate and --tls-key")
        ) {
            _ = try FrontDoor.metricsIdentity(secure, nil)
        }
        let plain = try serveArguments(["--metrics-port", "0"])
        #expect(try FrontDoor.metricsIdentity(plain, nil) == nil)
        #expect(MetricsListener.isWanted(plain))
        #expect(!MetricsListener.isWanted(try serveArguments()))
    }

    @Test func `has a URL with the scheme that it speaks, and a socket none`() {
        #expect(
            FrontDoor.url(host: "10.0.0.1", port: 80, isSecure: false) == "http://10.0.0.1:80")
        #expect(
            FrontDoor.url(host: "10.0.0.1", port: 443, isSecure: true) == "https://10.0.0.1:443")
        #expect(
            FrontDoor.url(host: "unix:/run/islet.sock", port: 0, isSecure: false)
                == "unix:/run/islet.sock")
    }
}

struct `Files for clients` {
    @Test func `suffice from 512 on, of which 448 are for everything else`() throws {
        #expect(try DescriptorPlan(descriptorsMax: 512, wished: 8_192).connectionsMax == 64)
        #expect(throws: CommandFailure.self) {
            _ = try DescriptorPlan(descriptorsMax: 511, wished: 64)
        }
    }

    @Test func `are counted in the log at the start, and when there are none left`() throws {
        let lines = LoggedLines()
        let (limits, plan) = try FrontDoor.limits(serveArguments(), descriptorsMax: 1_248)
        FrontDoor.report(plan, limits, to: lines.log)
        FrontDoor.report(isShort: true, to: lines.log)
        FrontDoor.report(isShort: false, to: lines.log)
        #expect(lines.all.count == 3)
        #expect(
            lines.all.first
                == "<6>room for clients connectionsMax=800 connectionsPerAddressMax=100 "
                + "openFilesMax=1248 openFilesReserved=448")
        #expect(lines.all.dropFirst().first?.hasPrefix("<4>no more files can be opened") == true)
        #expect(lines.all.dropFirst().first?.contains("lower --connections-max") == true)
        #expect(lines.all.last?.hasPrefix("<6>files can be opened again") == true)
    }
}

struct `Options that say nothing alone` {
    @Test(
        arguments: [
            (["--tls-key", "f"], "--tls-key", "--tls-certificate"),
            (["--tls-certificate", "f"], "--tls-certificate", "--tls-key"),
            (["--metrics-host", "::1"], "--metrics-host", "--metrics-port"),
            (["--metrics-tls"], "--metrics-tls", "--metrics-port"),
            (["--trace-ratio", "1"], "--trace-ratio", "--otlp-endpoint"),
            (["--otlp-headers-file", "f"], "--otlp-headers-file", "--otlp-endpoint"),
            (["--apns-key-id", "ABC123DEFG"], "--apns-key-id", "--apns-key-file"),
            (["--apns-team-id", "ABC123DEFG"], "--apns-team-id", "--apns-key-file"),
        ] as [([String], String, String)])
    func `are refused with the other one`(words: [String], option: String, other: String) {
        #expect(
            throws: CommandFailure.usage(
                "\(option) says nothing without \(other); give both or neither")
        ) {
            try serveArguments(words)
        }
    }

    @Test func `are refused from the environment too where half of TLS would be plain HTTP`()
        throws
    {
        let key = try serveArguments([], ["ISLET_TLS_KEY": "f"])
        #expect(
            throws: CommandFailure.usage(
                "--tls-key says nothing without --tls-certificate; give both")
        ) {
            _ = try ServedCertificate.make(key)
        }
        let certificate = try serveArguments([], ["ISLET_TLS_CERTIFICATE": "f"])
        #expect(
            throws: CommandFailure.usage(
                "--tls-certificate needs its key; give --tls-key too")
        ) {
            _ = try ServedCertificate.make(certificate)
        }
        #expect(try ServedCertificate.make(serveArguments()) == nil)
    }

    @Test func `and a private database with a visitor contradict each other`() {
        #expect(
            throws: CommandFailure.usage(
                "--database-visitor and --data-dir contradict each other; give one of them")
        ) {
            try serveArguments(["--database-visitor", "v", "--data-dir", "d"])
        }
    }
}
