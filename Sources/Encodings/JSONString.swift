/// JSON's way to write a text, in which only what RFC 8259 demands is escaped: quotation marks,
/// backslashes and control characters.
public enum JSONString {
    /// With its quotation marks.
    public static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        appendEscaped(text, to: &json)
        json.append(UInt8(ascii: "\""))
    }

    /// With its quotation marks.
    public static func quoted(_ text: String) -> String {
        var json: [UInt8] = []
        append(text, to: &json)
        return String(decoding: json, as: UTF8.self)
    }

    /// Without them.
    public static func appendEscaped(_ text: String, to json: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): json += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: json += "\\u00\(Hexadecimal.encode([byte]))".utf8
            default: json.append(byte)
            }
        }
    }
}
