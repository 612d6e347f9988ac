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
        let weights = weights(in: request)
        let others = weights["*"] ?? 0
        let plain = weights["identity"] ?? 0
        let best = allCases.map { (coding: $0, weight: weights[$0.rawValue] ?? others) }
            .reduce(nil as (coding: Self, weight: Double)?) { best, next in
                best.map { $0.weight >= next.weight ? $0 : next } ?? next
            }
        guard let best, best.weight > 0, best.weight >= plain else { return nil }
        return best.coding
    }

    /// What `Accept-Encoding` lists, each with its weight.
    private static func weights(in request: Request) -> [String: Double] {
        var weights: [String: Double] = [:]
        for field in request.headers.values(of: "accept-encoding") {
            for entry in field.lowercased().split(separator: ",") {
                let parts = entry.split(separator: ";").map {
                    $0.filter { $0 != " " && $0 != "\t" }
                }
                guard let name = parts.first else { continue }
                let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
                    .flatMap { Double($0.dropFirst(2)) }
                weights[name == "x-gzip" ? "gzip" : name] = weight ?? 1
            }
        }
        return weights
    }
}
