import Foundation

/// A bucket of an object store that speaks S3, and who asks it.
public struct Bucket: Hashable, Sendable {
    public let name: String
    /// Of the server, without a path and without a slash at its end.
    let base: String
    let region: String
    let credentials: BucketCredentials
    let authorityFile: String?
    /// Before the second attempt of a request; tests wait less.
    var firstPauseMillis = Limits.firstPauseMillis
    /// Of a request without its body's share.
    var deadlineSeconds = Limits.deadlineSeconds

    /// - Parameters:
    ///   - endpoint: such as `https://minio.example:9000`; nil for Amazon's in the region.
    ///   - authorityFile: certificate authorities to trust, in PEM, instead of the system's.
    ///   - allowsPlainHTTP: not only from this machine to itself.
    /// - Throws: `.invalid` for what no bucket, region or endpoint is.
    public init(
        _ name: String, endpoint: String?, region: String, credentials: BucketCredentials,
        authorityFile: String? = nil, allowsPlainHTTP: Bool = false
    ) throws(BucketError) {
        guard (3...63).contains(name.utf8.count), name.utf8.allSatisfy(Self.isOfName),
            name.first != ".", !name.contains("..")
        else {
            throw .invalid(
                "\"\(name)\" is no name of a bucket: it has 3 to 63 letters a to z, digits, dots "
                    + "and hyphens")
        }
        guard (1...64).contains(region.utf8.count),
            region.utf8.allSatisfy({ Self.isOfName($0) && $0 != UInt8(ascii: ".") })
        else { throw .invalid("--s3-region must look like eu-central-1, not \"\(region)\"") }
        self.name = name
        self.region = region
        self.credentials = credentials
        self.authorityFile = authorityFile
        base = try Self.base(
            of: endpoint ?? "https://s3.\(region).amazonaws.com", allowsPlainHTTP)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func base(
        of endpoint: String, _ allowsPlainHTTP: Bool
    ) throws(BucketError) -> String {
        guard let parts = URLComponents(string: endpoint), let host = parts.host, !host.isEmpty,
            let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            ["", "/"].contains(parts.path)
        else {
            throw .invalid(
                "--s3-endpoint must look like https://minio.example:9000, without a path and "
                    + "without credentials")
        }
        guard scheme == "https" || allowsPlainHTTP || isLoopback(host) else {
            throw .invalid(
                "--s3-endpoint: \(host) would be asked without TLS, where others can read and "
                    + "change what is written; give an address with https, or --s3-allow-http")
        }
        return "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || ["[::1]", "::1"].contains(host)
            || host.wholeMatch(of: /127(\.\d{1,3}){3}/) != nil
    }

    /// By path, which every such server understands.
    func url(of key: String) -> String { "\(base)/\(name)/\(Self.escaped(key))" }

    /// As the signature wants it: each byte but those of RFC 3986 that need not be, and slashes.
    static func escaped(_ key: String) -> String {
        key.addingPercentEncoding(withAllowedCharacters: bare) ?? key
    }

    private static let bare = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
}
