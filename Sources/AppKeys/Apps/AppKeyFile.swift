import Foundation
import TLS
public import Terminal

/// A `.p8` key as Apple's developer site gives it, and the ids that go with it.
public enum AppKeyFile {
    public static let option = OptionSpec(
        "key-file", .text(placeholder: "FILE"),
        "The .p8 key from Apple's developer site. The database keeps it sealed.")
    public static let keyIDOption = OptionSpec(
        "key-id", .text(placeholder: "ID"),
        "Apple's id of the key, 10 characters; part of the name of the file.")
    public static let teamOption = OptionSpec(
        "team", .text(placeholder: "ID"),
        "Id of the developer account that the app belongs to, 10 characters.")

    /// A key as a command was given it, and checked.
    public struct Given: Sendable {
        /// The text to keep.
        public let text: String
        /// Apple's id of the key.
        public let keyID: String
        /// Nil for that of the app's other keys.
        public let teamID: String?
        /// What a usual mistake looks like; nil when the ids fit the file's name.
        public let warning: String?
    }

    /// The file, and the ids that a file of its kind does not have in it.
    /// - Parameter hasTeam: the team is an option of the command too.
    public static func given(
        _ arguments: Arguments, hasTeam: Bool
    ) throws(CommandFailure) -> Given {
        let keyID = try identifier(
            try arguments.required(keyIDOption.name), option: keyIDOption.name)
        var teamID: String?
        if hasTeam {
            teamID = try identifier(
                try arguments.required(teamOption.name), option: teamOption.name)
        }
        let file = try arguments.required(option.name)
        return Given(
            text: try read(file, option: option.name), keyID: keyID, teamID: teamID,
            warning: warning(about: file, keyID: keyID, teamID: teamID ?? ""))
    }

    /// The text to keep of a file that has been checked.
    /// - Throws: what is wrong with the file, and what would be right.
    static func read(_ file: String, option: String) throws(CommandFailure) -> String {
        try key(file, option: option).pem
    }

    /// The same as what signs for APNs.
    static func key(
        _ file: String, option: String
    ) throws(CommandFailure) -> ES256PrivateKey {
        let data = try GivenFile.read(file, option: option)
        SecretFile.warnIfOpen(file, option: option)
        do { return try ES256PrivateKey(pem: String(decoding: data, as: UTF8.self)) } catch {
            throw .failed("--\(option): \(file) \(complaint(about: data, error))")
        }
    }

    /// - Returns: what a usual mistake looks like; nil when the ids fit the file's name.
    static func warning(about file: String, keyID: String, teamID: String) -> String? {
        let name = URL(filePath: file).lastPathComponent
        guard let match = name.firstMatch(of: /^AuthKey_([A-Z0-9]{10})\.p8$/) else { return nil }
        let named = String(match.1)
        if named == keyID { return nil }
        return named == teamID
            ? "\(name) names the team id as its key: are --key-id and --team exchanged?"
            : "\(name) names another key than \(keyID): APNs will refuse a wrong key id"
    }

    /// A key id or team id.
    static func identifier(_ text: String, option: String) throws(CommandFailure) -> String {
        guard text.count == 10, text.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) })
        else {
            throw .usage(
                "--\(option) must have 10 capital letters and digits, as Apple's site shows it")
        }
        return text
    }

    public static func bundleID(_ text: String) throws(CommandFailure) -> String {
        if text.hasSuffix(".push-type.liveactivity") {
            throw .usage("--bundle is the app's id alone, without .push-type.liveactivity")
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if let first = parts.first, first.count == 10, parts.count > 2,
            first.allSatisfy({ $0.isUppercase || $0.isNumber })
        {
            throw .usage("--bundle is the app's id alone, without the team id \(first)")
        }
        let isFit = parts.allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
        guard parts.count > 1, isFit, text.utf8.count <= 155 else {
            throw .usage("--bundle must look like com.example.app, as Xcode shows it")
        }
        return text
    }

    private static func complaint(about data: Data, _ error: TLSError) -> String {
        let text = String(decoding: data, as: UTF8.self)
        let download = "download the .p8 key under Keys on Apple's developer site"
        if data.isEmpty { return "is empty: \(download)" }
        if error == .keyNotP256 {
            return "has a key of another kind than APNs' (ES256, curve P-256): \(download)"
        }
        let mistakes = [
            ("BEGIN CERTIFICATE REQUEST", "is a request for a certificate"),
            ("BEGIN CERTIFICATE", "is a certificate, which Live Activities cannot be sent with"),
            ("BEGIN PUBLIC KEY", "is the public half of a key"),
            ("BEGIN ENCRYPTED PRIVATE KEY", "is encrypted, which Apple's keys are not"),
            ("BEGIN OPENSSH PRIVATE KEY", "is a key for SSH"),
        ]
        if let mistake = mistakes.first(where: { text.contains($0.0) }) {
            return "\(mistake.1): \(download)"
        }
        if data.first == 0x30 {
            return "is binary, perhaps a .p12 or a certificate: \(download)"
        }
        guard text.contains("BEGIN PRIVATE KEY") else {
            return "has no line with BEGIN PRIVATE KEY: \(download)"
        }
        return "is cut off or damaged: copy the whole file as Apple gave it"
    }
}
