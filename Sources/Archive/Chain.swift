import Encodings
import TLS

/// Chain values: SHA-256 over lines of text, so that `sha256sum` can check them.
enum Chain {
    /// What the first segment is chained to.
    static func start(of manifest: Manifest) -> String {
        digest(
            [
                "\(manifest.format) \(manifest.formatVersion)", manifest.tenant,
                "\(manifest.selection.after)", manifest.selection.until ?? "",
                manifest.selection.activity ?? "", "\(manifest.through)",
            ] + (manifest.selection.isRedacted == true ? ["redacted"] : []))
    }

    static func value(after previous: String, _ segment: Manifest.Segment) -> String {
        digest([
            previous, segment.file, "\(segment.events)", "\(segment.firstPosition)",
            "\(segment.lastPosition)", "\(segment.bytes)", segment.sha256,
        ])
    }

    private static func digest(_ lines: [String]) -> String {
        Hexadecimal.encode(SHA256.hash(Array(lines.map { $0 + "\n" }.joined().utf8)))
    }
}
