import Foundation

/// A file that an option names, with certificates or a key in PEM form.
public enum PEMFile {
    /// - Throws: `CommandFailure` that names the option and the file.
    public static func read(_ file: String, option: String) throws(CommandFailure) -> String {
        guard let handle = FileHandle(forReadingAtPath: file),
            let data = try? handle.read(upToCount: bytesMax + 1)
        else { throw .failed("--\(option): \(file) cannot be read, or is empty") }
        guard data.count <= bytesMax else {
            throw .failed("--\(option): \(file) is no PEM file: it is longer than 1 MiB")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// A chain of certificates has a few thousand bytes.
    private static let bytesMax = 1 << 20
}
