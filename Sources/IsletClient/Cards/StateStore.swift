public import Foundation

/// Where a `CardKeeper` keeps what it must know after a restart. It has push tokens.
public protocol StateStore: Sendable {
    /// - Returns: nil when nothing was kept.
    func load() throws -> Data?
    func save(_ state: Data) throws
}

/// Keeps it in a file that is written whole or not at all.
public struct FileStateStore: StateStore {
    public let file: URL

    public init(file: URL) { self.file = file }

    /// In the app's own directory for what it keeps.
    public init() throws {
        let directory = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil,
            create: true)
        self.init(file: directory.appendingPathComponent("islet-cards.json"))
    }

    public func load() throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
    }

    public func save(_ state: Data) throws {
        #if os(Linux)
            try state.write(to: file, options: .atomic)
        #else
            // A push starts cards while the phone is locked, so the file must open then.
            try state.write(
                to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
            // A backup would bring the installation's name to a second phone.
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var file = file
            try file.setResourceValues(values)
        #endif
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
