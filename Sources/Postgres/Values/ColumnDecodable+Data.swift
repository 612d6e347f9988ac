public import Foundation

extension Data: ColumnDecodable {
    /// `bytea` as it is; `json`, `jsonb` and `text` as their UTF-8.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Data? {
        guard let content = contentBytes(bytes, type: type) else { return nil }
        let whole = UnsafeRawBufferPointer(rebasing: content)
        // A slice would be copied through a protocol.
        return whole.baseAddress.map { Data(bytes: $0, count: whole.count) } ?? Data()
    }
}
