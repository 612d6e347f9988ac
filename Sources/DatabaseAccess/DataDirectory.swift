import Domain
import Foundation
import Postgres

/// A directory that a private Postgres is looked for in.
public struct DataDirectory: Sendable {
    /// From the root.
    public let path: String

    public init(path: String) { self.path = path }

    /// Why a command that makes none refuses it, with what was probably meant; nil when there is
    /// a cluster.
    public var complaint: String? {
        if PrivatePostgres.exists(in: path) { return nil }
        if let why = PrivatePostgres.obstacle(in: path) {
            return "cannot look for a database in \(path): \(why)"
        }
        return "there is no database in \(path); \(remedy)"
    }

    /// What to look at when the Postgres in it lets nobody in.
    var hint: String {
        let room = DiskSpace(of: path).map { "; its disk has \($0.freeBytes >> 20) MB left" }
        return "see \(path)/server.log" + (room ?? "")
    }

    var remedy: String {
        let nearest = near
        guard nearest.isEmpty else { return "did you mean \(nearest.joined(separator: " or "))?" }
        let making = "islet serve --data-dir \(path) makes one"
        // Nobody named it: the server may well have been given another.
        return path == ServerPath.absolute(DatabaseAddress.defaultDirectory)
            ? making + "; if the server has another, give --database-url or --data-dir" : making
    }

    /// Directories beside it, or beside the first part of its path that is missing, that a slip of
    /// the finger is away from it.
    private var near: [String] {
        let place = URL(fileURLWithPath: path)
        for depth in 0..<place.pathComponents.count {
            let names = place.pathComponents.suffix(depth)
            var above = place
            for _ in 0..<depth { above.deleteLastPathComponent() }
            let wanted = above.lastPathComponent
            above.deleteLastPathComponent()
            guard let found = try? FileManager.default.contentsOfDirectory(atPath: above.path)
            else { continue }
            return Similarity.nearest(to: wanted, among: found.filter { $0 != wanted })
                .map { ([above.appending(path: $0).path] + names).joined(separator: "/") }
                .filter { PrivatePostgres.exists(in: $0) }
        }
        return []
    }
}
