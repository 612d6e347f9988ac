public import Foundation

extension Data: ColumnDecodable {
    /// `bytea` as it is; `json`, `jsonb` and `text` as their UTF-8.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: UInt32) -> Data? {
        contentBytes(bytes, type: type).map { Data($0) }
    }
}
