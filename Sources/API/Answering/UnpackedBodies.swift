import Compression
import HTTP

/// Unpacks the bodies of requests.
///
/// A thousandth of what it unpacks to may come over the wire, so the server's own counts of what is
/// in memory are not enough: what bodies unpack to is bounded for each, for each tenant's at a time
/// and for the node's, and counts as bytes sent.
struct UnpackedBodies: Sendable {
    private let shares = ReservedShares(capacity: Limits.unpackedBytesMax)

    /// - Returns: what is reserved for it, nil for a body that came as it is.
    func unpack(
        _ request: inout Request, _ caller: Caller
    ) async throws(ProblemDocument) -> ReservedShares.Reservation? {
        // Clients that pack all that they send say so where they send nothing, too.
        guard !request.body.isEmpty, !ContentCoding.isIdentity(request) else { return nil }
        guard ContentCoding.isGzip(request) else {
            throw ProblemDocument(
                .unsupportedMediaType,
                "The body cannot be read: its Content-Encoding is none that is taken, which are "
                    + "\(ContentCoding.accepted). Its Content-Type may stay as it is.",
                remedy: "Pack the body with gzip, or send it as it is without `Content-Encoding`.",
                headers: ["accept-encoding": ContentCoding.accepted])
        }
        let packed = request.body
        let unpacked: [UInt8]
        if let short = try Self.unpackedOnLoop(packed, caller) {
            unpacked = short
        } else {
            unpacked = try await caller.largeWork.bodies.readOffLoop(of: caller.tenant) {
                () throws(ProblemDocument) in try Self.unpacked(packed, caller)
            }
        }
        guard let reservation = shares.reserve(unpacked.count, of: caller.tenant) else {
            throw ProblemDocument(
                .overloaded, "This node has as many unpacked bodies as it takes on.",
                headers: caller.authenticator.environment.limits.retryAfter)
        }
        request.body = unpacked
        request.headers = request.headers.without("content-encoding")
        return reservation
    }

    /// How long it takes is not known before: a hundred bytes may become a hundred thousand. But to
    /// hand over a single event costs more than to unpack it.
    /// - Returns: nil for what is longer, or at fault: it is unpacked from the beginning on another
    ///   thread, and charged there.
    private static func unpackedOnLoop(
        _ packed: [UInt8], _ caller: Caller
    ) throws(ProblemDocument) -> [UInt8]? {
        guard packed.count <= Limits.unpackedOnLoopBytesMax / Limits.usualPackingRatio else {
            return nil
        }
        try caller.checkBytesLeft()
        let bytesMax = min(Limits.unpackedOnLoopBytesMax, caller.allowance.bodyBytesMax)
        guard let unpacked = try? Gzip.unpacked(packed, atMost: bytesMax) else { return nil }
        caller.charge(bodyBytes: unpacked.count - packed.count)
        return unpacked
    }

    /// Charges what was unpacked even if the body turns out to be of no use. A tenant that has
    /// bytes left when its turn comes may use more than it has, and pays it back afterwards: to
    /// refuse what is unpacked already would let it be unpacked for nothing, time and again.
    private static func unpacked(
        _ packed: [UInt8], _ caller: Caller
    ) throws(ProblemDocument) -> [UInt8] {
        try caller.checkBytesLeft()
        let bytesMax = caller.allowance.bodyBytesMax
        var bytesMade = 0
        defer { caller.charge(bodyBytes: bytesMade - packed.count) }
        do { return try Gzip.unpacked(packed, atMost: bytesMax, &bytesMade) } catch {
            switch error {
            case .malformed:
                throw ProblemDocument(
                    .malformedRequest, "The body is not gzip, as its Content-Encoding says.")
            case .tooLong:
                throw ProblemDocument(
                    .bodyTooLarge, "The body must not unpack to more than \(bytesMax) bytes.")
            }
        }
    }
}
