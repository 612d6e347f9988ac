import Foundation
import TLS
import Terminal
import Testing

@testable import AppKeys

private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
    try withFile(Data(text.utf8), body)
}

private func withFile(_ bytes: Data, _ body: (String) throws -> Void) throws {
    let file = NSTemporaryDirectory() + "islet-key-\(UUID().uuidString)"
    let isWritten = FileManager.default.createFile(
        atPath: file, contents: bytes, attributes: [.posixPermissions: 0o600])
    try #require(isWritten)
    defer { try? FileManager.default.removeItem(atPath: file) }
    try body(file)
}

/// What reading the file complains of; nil when it is fine.
private func complaint(_ file: String) -> String? {
    do throws(CommandFailure) {
        _ = try AppKeyFile.read(file, option: "key-file")
        return nil
    } catch {
        guard case .failed(let text) = error else { return "\(error)" }
        return text
    }
}

struct `The file of a key` {
    @Test func `is read as Apple gives it, with lines around it too`() throws {
        let key = ES256PrivateKey.generate()
        for text in [key.pem, "Key for pushes\r\n" + key.pem] {
            try withFile(text) { file in
                let said = complaint(file)
                #expect(said == nil)
                let read = try? AppKeyFile.read(file, option: "key-file")
                #expect(read == key.pem)
            }
        }
    }

    @Test(arguments: [
        ("", "is empty"), ("hello", "no line with BEGIN PRIVATE KEY"),
        ("-----BEGIN CERTIFICATE-----\nAAAA", "is a certificate"),
        ("-----BEGIN CERTIFICATE REQUEST-----\nAAAA", "is a request for a certificate"),
        ("-----BEGIN PUBLIC KEY-----\nAAAA", "the public half"),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA", "is encrypted"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", "a key for SSH"),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "cut off or damaged"),
        (otherCurve, "of another kind"),
    ])
    func `that is something else says what it is`(text: String, words: String) throws {
        try withFile(text) { file in
            let said = try #require(complaint(file))
            #expect(said.contains(words), "\(said)")
            #expect(said.contains("--key-file"))
            #expect(!said.contains("AAAA"))
        }
    }

    @Test func `that is binary or missing says so`() throws {
        try withFile(Data([0x30, 0x82, 0x01, 0xff])) { file in
            #expect(complaint(file)?.contains(".p12") == true)
        }
        #expect(complaint("/nowhere/AuthKey.p8")?.contains("does not exist") == true)
    }

    @Test func `is compared with the ids by its name`() {
        func warning(_ name: String) -> String? {
            AppKeyFile.warning(about: "/keys/\(name)", keyID: "KEY0000001", teamID: "TEAM000001")
        }
        #expect(warning("AuthKey_KEY0000001.p8") == nil)
        #expect(warning("apns.p8") == nil)
        #expect(warning("AuthKey_KEY0000002.p8")?.contains("another key") == true)
        #expect(warning("AuthKey_TEAM000001.p8")?.contains("exchanged") == true)
    }
}

struct `What goes with a key` {
    @Test(arguments: ["", "KEY000001", "KEY00000011", "key0000001", "KEY-000001", "KÉY0000001"])
    func `is an id of ten capital letters and digits`(text: String) throws {
        #expect(throws: CommandFailure.self) {
            try AppKeyFile.identifier(text, option: "key-id")
        }
        #expect(try AppKeyFile.identifier("KEY0000001", option: "key-id") == "KEY0000001")
    }

    @Test(arguments: [
        ("com.example.app.push-type.liveactivity", "without .push-type.liveactivity"),
        ("ABCDE12345.com.example.app", "without the team id"), ("example", "com.example.app"),
        ("com..app", "com.example.app"), ("com.example.app ", "com.example.app"), ("", "Xcode"),
    ])
    func `is a bundle id alone`(text: String, words: String) {
        do throws(CommandFailure) {
            _ = try AppKeyFile.bundleID(text)
            Issue.record("\(text) was taken")
        } catch {
            guard case .usage(let said) = error else { return }
            #expect(said.contains(words), "\(said)")
        }
    }

    @Test(arguments: ["com.example.app", "com.example-shop.App2", "io.app"])
    func `is any bundle id that Xcode allows`(text: String) throws {
        #expect(try AppKeyFile.bundleID(text) == text)
    }
}

/// Of P-384, made for this test.
private let otherCurve = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBdBPn8HSqb5QOs/K8j
    3ePA3B4Q6Y16zzSmN6MsKE9zarMHv/DYOZsgr+8EVmPpBXWhZANiAATawrhCEiN+
    Of5ZCym9RQ81g0f66V5TMnFJluD+Tbsp8T0Ggk2Ud4aQI5BIEsI6nmtFlVw1KmMJ
    WbBHaZSGlZo9h8Zvw4oW4Quo4zvYT07QeKTysOLB19ig1r7kNth88jI=
    -----END PRIVATE KEY-----
    """
