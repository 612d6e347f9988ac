import HTTP
import TLS
import Terminal
import Testing

@testable import Hosting

/// A certificate and a key in files, which are replaced while a server has them.
private struct CertificateFiles {
    let directory: PrivateDirectory

    init() throws { directory = try PrivateDirectory("islet-certificate-test") }

    var words: [String] {
        [
            "--tls-certificate", directory.file("certificate.pem"), "--tls-key",
            directory.file("key.pem"),
        ]
    }

    func write(_ certificate: String, _ key: String) throws {
        try SecretFile.write(certificate, to: directory.file("certificate.pem"))
        try SecretFile.write(key, to: directory.file("key.pem"))
    }

    /// - Returns: what is served, and the options that name its files.
    func served() throws -> (served: ServedCertificate, arguments: Arguments) {
        let made = try SelfSignedAuthority.make(hosts: ["localhost"])
        try write(made.certificatePEM, made.privateKeyPEM)
        let arguments = try serveArguments(words)
        return (try #require(try ServedCertificate.make(arguments)), arguments)
    }
}

struct `A certificate that is replaced` {
    @Test func `is shown from then on, and one that is the same changes nothing`() throws {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let (served, arguments) = try files.served()
        let before = served.context
        #expect(try !served.reload(arguments))
        #expect(served.context === before)
        let other = try SelfSignedAuthority.make(hosts: ["localhost"])
        try files.write(other.certificatePEM, other.privateKeyPEM)
        #expect(try served.reload(arguments))
        #expect(served.context !== before)
    }

    @Test func `leaves the old one in force when it has expired`() throws {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let (served, arguments) = try files.served()
        let before = served.context
        let expired = try SelfSignedAuthority.make(hosts: ["localhost"], isExpired: true)
        try files.write(expired.certificatePEM, expired.privateKeyPEM)
        let failure = #expect(throws: CommandFailure.self) { try served.reload(arguments) }
        #expect(failure?.text.hasPrefix("--tls-certificate: ") == true)
        #expect(failure?.text.hasSuffix("has expired; give a newer one") == true)
        #expect(served.context === before)
    }

    @Test func `leaves the old one in force when the key is another one's`() throws {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let (served, arguments) = try files.served()
        let before = served.context
        let one = try SelfSignedAuthority.make(hosts: ["localhost"])
        let other = try SelfSignedAuthority.make(hosts: ["localhost"])
        try files.write(one.certificatePEM, other.privateKeyPEM)
        let failure = #expect(throws: CommandFailure.self) { try served.reload(arguments) }
        #expect(failure?.text.hasPrefix("--tls-key: ") == true)
        #expect(failure?.text.contains("PRIVATE KEY") == false)
        #expect(served.context === before)
    }

    @Test func `leaves the old one in force when the key is of another type`() throws {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let (served, arguments) = try files.served()
        let before = served.context
        let made = try SelfSignedAuthority.make(hosts: ["localhost"])
        try files.write(made.certificatePEM, otherType)
        let failure = #expect(throws: CommandFailure.self) { try served.reload(arguments) }
        #expect(failure?.text.hasPrefix("--tls-key: ") == true)
        #expect(served.context === before)
    }

    @Test func `is complained of once at SIGHUP, with both options, and not by later looks`()
        async throws
    {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let (served, arguments) = try files.served()
        let before = served.context
        let made = try SelfSignedAuthority.make(hosts: ["localhost"])
        try files.write(made.certificatePEM, "no key")
        let lines = LoggedLines()
        await Reloading(
            arguments: arguments, items: [served.reloading], log: lines.log
        ).run()
        for _ in 0..<3 { served.look(lines.log) }
        let said = lines.all
        #expect(said.count == 1, "\(said)")
        #expect(
            said.first?.hasPrefix(
                "<3>not taken over: what was read before stays in force "
                    + "option=--tls-certificate,--tls-key why=") == true, "\(said)")
        #expect(served.context === before)
        let other = try SelfSignedAuthority.make(hosts: ["localhost"])
        try files.write(other.certificatePEM, other.privateKeyPEM)
        served.look(lines.log)
        #expect(served.context !== before)
    }

    @Test func `is named when its file has none`() throws {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let made = try SelfSignedAuthority.make(hosts: ["localhost"])
        try files.write("no certificate", made.privateKeyPEM)
        let arguments = try serveArguments(files.words)
        let failure = #expect(throws: CommandFailure.self) {
            _ = try ServedCertificate.make(arguments)
        }
        #expect(failure?.text.hasPrefix("--tls-certificate: ") == true)
        #expect(failure?.text.contains("has no certificate in PEM form") == true)
    }

    @Test func `stays when the option is gone, until a restart`() throws {
        let files = try CertificateFiles()
        defer { files.directory.remove() }
        let (served, _) = try files.served()
        let none = try serveArguments()
        #expect(
            throws: CommandFailure.failed("the server goes on with TLS until a restart")
        ) {
            try served.reload(none)
        }
    }
}

/// Of Ed25519, made for this test.
private let otherType = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIHwxQ38k5apguRJy1z6lbhnIH7YBZQabHcRnj4vJfxr3
    -----END PRIVATE KEY-----
    """
