import Foundation
import ProjectFiles
import Testing

/// The large public data sets, which are not part of the project: football and deliveries.
enum SharedData {
    /// `ISLET_SHARED_DATA`, or else the folder `shared/data` beside the project; nil when neither
    /// is there.
    static let folder: URL? = {
        let named = ProcessInfo.processInfo.environment["ISLET_SHARED_DATA"]
        let folder =
            named.map { URL(filePath: $0) } ?? ProjectFiles.url("../shared/data")
        return FileManager.default.fileExists(atPath: folder.path()) ? folder : nil
    }()

    static func file(_ path: String) throws -> URL {
        try #require(folder).appending(path: path)
    }

    static func lines(_ path: String) throws -> [Substring] {
        try String(contentsOf: file(path), encoding: .utf8).split(separator: "\n")
    }
}

extension Trait where Self == ConditionTrait {
    /// Without the data the test is reported as skipped, by its name.
    static var needsSharedData: Self {
        .enabled(
            if: SharedData.folder != nil,
            "needs the public data: set ISLET_SHARED_DATA to their folder")
    }
}
