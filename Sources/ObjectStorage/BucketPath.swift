/// What `s3://bucket/prefix` says.
public struct BucketPath: Hashable, Sendable {
    public let bucket: String
    /// What keys begin with, without a slash at its end; empty for none.
    public let prefix: String

    private static let scheme = "s3://"

    /// Whether the text means a place in a bucket, even a wrong one.
    public static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    /// - Throws: `.invalid` for a prefix that no path of a URL may be.
    public init(_ text: String) throws(BucketError) {
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard Self.isMeant(by: text), let bucket = parts.first, !bucket.isEmpty else {
            throw .invalid("\"\(text)\" must look like s3://bucket/prefix")
        }
        var prefix = parts.count == 2 ? String(parts[1]) : ""
        if prefix.hasSuffix("/") { prefix.removeLast() }
        let names = prefix.split(separator: "/", omittingEmptySubsequences: false)
        // A URL's `..` leads elsewhere, and room must be left for the files' names.
        guard prefix.isEmpty || !names.contains(where: { ["", ".", ".."].contains($0) }),
            prefix.utf8.count <= Limits.keyBytesMax - 256,
            !prefix.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalid(
                "\"\(text)\": what follows the bucket must be names with one slash between them")
        }
        self.bucket = String(bucket)
        self.prefix = prefix
    }

    /// The place as it is written.
    public var text: String { Self.scheme + bucket + (prefix.isEmpty ? "" : "/" + prefix) }
}
