import Domain
import Encodings
import EventLoop
public import EventStore
import Foundation
import TLS
public import Terminal

/// What apps' keys and webhooks' secrets are sealed with in the database. Never describes itself.
///
/// Copies share what they have, so that a file that is read again counts everywhere at once.
public struct MasterKeys: Sendable, CustomStringConvertible, CustomReflectable {
    public static let option = OptionSpec(
        "master-key-file", .text(placeholder: "FILE"),
        "What apps' keys and webhooks' secrets are sealed with in the database: 64 hexadecimal "
            + "digits, as openssl rand -hex 32 makes them. Further lines are older ones, which "
            + "still open.", isReloadable: true)

    public enum Opening: Equatable {
        case opened(String)
        /// No line of the file is the master key it was sealed with.
        case otherMasterKey
        /// It was not sealed for this key, or was changed since.
        case broken
    }

    private struct MasterKey: Sendable {
        var id: String
        var bytes: [UInt8]
    }

    /// The first of them seals.
    private let keys: Lock<[MasterKey]>

    private var all: [MasterKey] { keys.withLock { $0 } }
    private var current: MasterKey { keys.withLock { $0[0] } }

    /// Tells master keys apart; no secret.
    public var currentID: String { current.id }
    public var description: String { "<master keys>" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// - Returns: nil when no file is given.
    public static func read(_ arguments: Arguments) throws(CommandFailure) -> MasterKeys? {
        guard let file = arguments.text("master-key-file") else { return nil }
        return try MasterKeys(file: file)
    }

    public init(file: String) throws(CommandFailure) {
        let text = try GivenFile.text(file, option: "master-key-file")
        SecretFile.warnIfOpen(file, option: "master-key-file")
        try self.init(text: text)
    }

    /// - Parameter text: one master key a line, the one to seal with first.
    public init(text: String) throws(CommandFailure) {
        var keys: [MasterKey] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let digits = line.trimmingPrefix { $0.isWhitespace }.prefix { !$0.isWhitespace }
            if digits.isEmpty { continue }
            guard digits.count == AES256GCM.keyBytes * 2, let bytes = Hexadecimal.decode(digits)
            else {
                throw .failed(
                    "--master-key-file: each line must have 64 hexadecimal digits; openssl rand "
                        + "-hex 32 makes some")
            }
            keys.append(MasterKey(id: Self.id(of: bytes), bytes: bytes))
        }
        guard !keys.isEmpty else {
            throw .failed("--master-key-file: the file is empty; openssl rand -hex 32 fills it")
        }
        self.keys = Lock(keys)
    }

    /// Takes over what another file has, in all copies.
    /// - Returns: false when it is the same.
    public func adopt(_ other: MasterKeys) -> Bool {
        let theirs = other.all
        return keys.withLock { keys in
            guard keys.map(\.bytes) != theirs.map(\.bytes) else { return false }
            keys = theirs
            return true
        }
    }

    public func seal(_ pem: String, for identity: AppKeyIdentity) -> NewAppKey {
        let (sealed, id) = seal(Array(pem.utf8), binding: Self.binding(identity))
        return NewAppKey(identity: identity, sealed: sealed, masterKeyID: id)
    }

    /// With the first of the file, whose id comes with it.
    public func seal(_ bytes: [UInt8], binding: [UInt8]) -> (sealed: [UInt8], masterKeyID: String) {
        let current = current
        return (AES256GCM.seal(bytes, key: current.bytes, binding: binding), current.id)
    }

    func has(_ masterKeyID: String) -> Bool { all.contains { $0.id == masterKeyID } }

    /// - Returns: nil when the file has no such master key, or it did not seal exactly this.
    public func open(_ sealed: [UInt8], by masterKeyID: String, binding: [UInt8]) -> [UInt8]? {
        all.first { $0.id == masterKeyID }.flatMap {
            AES256GCM.open(sealed, key: $0.bytes, binding: binding)
        }
    }

    public func open(_ record: AppKeyRecord) -> Opening {
        guard has(record.masterKeyID) else { return .otherMasterKey }
        let opened = open(
            record.sealed, by: record.masterKeyID, binding: Self.binding(record.identity))
        return opened.map { .opened(String(decoding: $0, as: UTF8.self)) } ?? .broken
    }

    /// What a seal is for; no part of it can contain the separator.
    private static func binding(_ identity: AppKeyIdentity) -> [UInt8] {
        let parts = [
            "islet app key", "\(identity.tenant.rawValue)", identity.bundleID, identity.teamID,
            identity.keyID, identity.scope.rawValue,
        ]
        return Array(parts.joined(separator: "\n").utf8)
    }

    private static func id(of key: [UInt8]) -> String {
        Hexadecimal.encode(SHA256.hash(Array("islet master key".utf8) + key).prefix(4))
    }
}
