/// Where the files of an archive lie. Knows nothing of what is in them: `ArchiveFiles` does, and it
/// alone makes these calls, one at a time and on its own thread, which they may block.
///
/// A file is there wholly or not at all: what a crash leaves half written is under no name that is
/// read.
protocol ArchiveStorage: AnyObject {
    /// How much is read at a time.
    var readBytesMax: Int { get }

    /// Makes the directory, or whatever it is, where there is none yet.
    func prepare() async throws(ArchiveError)

    /// Reads a part of a file.
    /// - Returns: at most so many bytes, and none at the end; nil where there is no such file.
    func read(
        _ name: String, from offset: Int, bytesMax: Int
    ) async throws(ArchiveError) -> [UInt8]?

    /// Begins a file, in place of what was begun and not finished.
    func begin(_ name: String) async throws(ArchiveError)

    /// Goes on with the file that was begun.
    func write(_ bytes: [UInt8]) async throws(ArchiveError)

    /// Gives the file its name, in place of what is under it. Returns when a crash cannot lose it.
    func finish() async throws(ArchiveError)

    /// Adds lines to a file that only grows. Returns when a crash cannot lose them.
    func add(_ lines: [UInt8], toEndOf name: String) async throws(ArchiveError)

    func close() async
}
