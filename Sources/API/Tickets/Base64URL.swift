import Foundation

/// RFC 4648, section 5, without padding.
enum Base64URL {
    static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Nil for anything but what `encoded` gives: equal bytes have one text.
    static func decoded(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let plain = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: plain), encoded(Array(data)) == text else {
            return nil
        }
        return Array(data)
    }
}
