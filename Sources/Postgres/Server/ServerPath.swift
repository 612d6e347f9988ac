import Foundation
import Glibc

/// Where a path leads that somebody typed.
public enum ServerPath {
    /// From the root, without links and dots, as the system would go there: what is a link is
    /// followed before `..` goes back. A part of the way may be missing. Where it ends it is not
    /// followed: what is there may be somebody else's link.
    public static func absolute(_ path: String) -> String {
        var way = path
        // A shell does this for a word, but neither in `--data-dir=~/islet` nor in a variable's
        // value that was quoted.
        if way == "~" || way.hasPrefix("~/") { way = home + way.dropFirst() }
        if !way.hasPrefix("/") { way = FileManager.default.currentDirectoryPath + "/" + way }
        var place = ""
        let parts = way.split(separator: "/").filter { $0 != "." }
        for (index, part) in parts.enumerated() {
            if part == ".." {
                place = place.lastIndex(of: "/").map { String(place[..<$0]) } ?? ""
            } else {
                place += "/" + part
                if index < parts.count - 1 { place = real(place) }
            }
        }
        return place.isEmpty ? "/" : place
    }

    /// The same path if there is nothing.
    private static func real(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        let text = String(cString: found)
        return text == "/" ? "" : text
    }

    private static var home: String {
        if let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty { return home }
        return getpwuid(getuid()).flatMap { $0.pointee.pw_dir.map { String(cString: $0) } } ?? "/"
    }
}
