public import Foundation

/// A file that somebody names on the command line.
public enum GivenFile {
    /// All of it, of a pipe too, as `<(…)` and `/dev/stdin` are. Foundation's other readers refuse
    /// pipes.
    /// - Parameters:
    ///   - option: the one that names the file, without dashes; nil for an operand.
    ///   - bytesMax: nil for data, which may be of any size.
    public static func read(
        _ path: String, option: String? = nil, bytesMax: Int? = 1 << 20
    ) throws(CommandFailure) -> Data {
        let named = (option.map { "--\($0): " } ?? "") + path
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: bytesMax.map { $0 + 1 } ?? .max)
        else { throw .failed("\(named) cannot be read, or is empty") }
        if let bytesMax, data.count > bytesMax {
            throw .failed("\(named) is longer than \(bytesMax / 1_024) KiB")
        }
        return data
    }

    /// As `read`; what is no UTF-8 is replaced.
    public static func text(_ path: String, option: String) throws(CommandFailure) -> String {
        String(decoding: try read(path, option: option), as: UTF8.self)
    }
}
