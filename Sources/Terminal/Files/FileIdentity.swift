import Glibc

/// Which file a path leads to, through whatever links. One that is yet to come is known by its
/// directory and name.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let name: String?

    /// - Returns: nil for what can be no other's too, such as a pipe or a terminal, and where even
    ///   the directory is missing.
    init?(_ path: String) {
        var facts = stat()
        if stat(path, &facts) == 0 {
            guard [S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else { return nil }
            name = nil
        } else {
            let parts = path.split(separator: "/")
            let start = path.hasPrefix("/") ? "/" : "./"
            guard let last = parts.last,
                stat(start + parts.dropLast().joined(separator: "/"), &facts) == 0
            else { return nil }
            name = String(last)
        }
        device = UInt64(facts.st_dev)
        inode = UInt64(facts.st_ino)
    }
}

extension Arguments {
    /// To be called before anything is read or written.
    /// - Parameters:
    ///   - written: options that name files to be written.
    ///   - read: options and operands that name files to be read.
    /// - Throws: `.usage` when one that is written is another one too.
    public func refuseSharedFiles(
        written: [String], read: [String]
    ) throws(CommandFailure) {
        var known: [FileIdentity: String] = [:]
        for name in read {
            for path in paths(name) {
                if let file = FileIdentity(path) { known[file] = shown(name) }
            }
        }
        for name in written {
            for path in paths(name) {
                guard let file = FileIdentity(path) else { continue }
                if let other = known[file] {
                    throw .usage(
                        "\(shown(name)) would overwrite the file of \(other); name another file")
                }
                known[file] = shown(name)
            }
        }
    }

    private func paths(_ name: String) -> [String] { operands[name].map { [$0] } ?? texts(name) }

    private func shown(_ name: String) -> String { operands[name] == nil ? "--\(name)" : name }
}
