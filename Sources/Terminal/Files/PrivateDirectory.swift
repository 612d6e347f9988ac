import EventLoop
import Foundation
import Glibc

/// A directory of this run alone, under the temporary directory, under a name that nobody can know
/// before: what others find or plant there is not read, and not written through.
public struct PrivateDirectory {
    public let path: String

    /// - Parameters:
    ///   - name: what the directory's name begins with.
    ///   - canBePassed: other users may go through it to what they own in it, and list nothing.
    public init(_ name: String, canBePassed: Bool = false) throws(CommandFailure) {
        let base = NSTemporaryDirectory()
        var template = Array("\(base.hasSuffix("/") ? base : base + "/")\(name)-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }
        }
        guard let made else {
            throw .failed(
                "no directory can be made in \(base): \(SystemError.text()); "
                    + "TMPDIR names another place")
        }
        path = String(cString: made)
        if canBePassed { chmod(path, 0o711) }
    }

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    public func remove() { try? FileManager.default.removeItem(atPath: path) }
}
