import Compression
import HTTP

/// The form in which a body goes over the wire (RFC 9110, 8.4).
enum ContentCoding: String, CaseIterable {
    /// The one that packs better for less time comes first.
    case zstd
    case gzip

    static let accepted = "gzip, identity"

    func packed(_ bytes: [UInt8]) -> [UInt8]? {
        switch self {
        case .zstd: Zstandard.packed(bytes)
        case .gzip: Gzip.packed(bytes)
        }
    }

    /// The body is as it is.
    static func isIdentity(_ request: Request) -> Bool {
        request.headers["content-encoding"].map { $0.isEmpty || $0.lowercased() == "identity" }
            ?? true
    }

    static func isGzip(_ request: Request) -> Bool {
        guard let coding = request.headers["content-encoding"]?.lowercased() else { return false }
        return coding == "gzip" || coding == "x-gzip"
    }

    /// The coding that the client likes best, and of several that it likes as much the first.
    /// - Returns: nil for a body as it is.
    static func wanted(by request: Request) -> ContentCoding? {
        var weights: [String: Double] = [:]
        for field in request.headers.values(of: "accept-encoding") {
            for (name, weight) in field.weightedNames {
                weights[name == "x-gzip" ? "gzip" : name] = weight
            }
        }
        func weight(_ coding: ContentCoding) -> Double {
            weights[coding.rawValue] ?? weights["*"] ?? 0
        }
        let best: ContentCoding = weight(.gzip) > weight(.zstd) ? .gzip : .zstd
        return weight(best) > 0 && weight(best) >= weights["identity"] ?? 0 ? best : nil
    }
}
