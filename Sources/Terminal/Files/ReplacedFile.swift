public import Foundation
import Glibc

/// A file that takes the place of another once it is whole, and not before. Only its owner may read
/// it.
public enum ReplacedFile {
    /// - Parameters:
    ///   - option: the one that names the file, without dashes; nil for an operand.
    ///   - body: writes it; when that fails, what was there before stays.
    public static func write(
        _ path: String, option: String? = nil,
        _ body: (FileHandle) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        let named = GivenFile.named(path, by: option)
        // Through a link, so that it goes on leading there.
        let target = realpath(path)
        // A pipe or a device has nothing that could be lost, and must stay what it is.
        guard isFile(target) else {
            guard let file = FileHandle(forWritingAtPath: path) else {
                throw NewFile.unwritable(named)
            }
            return try await body(file)
        }
        let partial = NewFile.partialPath(of: target)
        let file = try NewFile.create(partial, named: named)
        do throws(CommandFailure) {
            try await body(file)
            do { try file.synchronize() } catch { throw NewFile.unwritable(named) }
            guard rename(partial, target) == 0 else { throw NewFile.unwritable(named) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func realpath(_ path: String) -> String {
        guard let real = Glibc.realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Whether it is a file, or nothing yet.
    private static func isFile(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG
    }
}
