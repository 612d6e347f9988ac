/// What a `Content-Type` says of a body.
struct MediaType {
    /// In lower case, without parameters.
    let name: String
    /// Without a charset JSON is UTF-8, of which ASCII is a part. No other one is read.
    let isUTF8: Bool

    init(_ field: String) {
        let parts = field.lowercased().split(separator: ";", omittingEmptySubsequences: false)
            .map { $0.filter { $0 != " " && $0 != "\t" } }
        name = parts.first ?? ""
        isUTF8 = parts.dropFirst().allSatisfy { parameter in
            guard parameter.hasPrefix("charset=") else { return true }
            let charset = parameter.dropFirst("charset=".count).filter { $0 != "\"" }
            return ["utf-8", "utf8", "us-ascii"].contains(charset)
        }
    }
}
