/// The cryptography of tickets, which the API may not import.
public struct TicketSeal: Sendable {
    /// HMAC-SHA256, 32 bytes.
    public var code: @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
    /// In constant time.
    public var isValid: @Sendable (_ code: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool
    /// 32 bytes fit for a key.
    public var makeSecret: @Sendable () -> [UInt8]

    public init(
        code: @escaping @Sendable (_ message: [UInt8], _ key: [UInt8]) -> [UInt8],
        isValid:
            @escaping @Sendable (_ code: [UInt8], _ message: [UInt8], _ key: [UInt8]) -> Bool,
        makeSecret: @escaping @Sendable () -> [UInt8]
    ) {
        self.code = code
        self.isValid = isValid
        self.makeSecret = makeSecret
    }
}
