import Encodings

/// Turns responses into bytes. The framing fields are the server's own: what a handler says about
/// length, coding or connection is dropped, except that it may ask to close.
enum ResponseWriter {
    enum Framing {
        case length(Int)
        case chunked
        /// The body ends with the connection, for HTTP/1.0.
        case untilClose
        /// The status allows no body.
        case bodiless
    }

    enum Persistence {
        case assumed
        /// HTTP/1.0 clients that asked for it need it confirmed.
        case keepAlive
        case close
    }

    static let continueLine = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    static let lastChunk = Array("0\r\n\r\n".utf8)

    static func appendHead(
        _ response: Response, _ framing: Framing, _ persistence: Persistence, date: [UInt8],
        to output: inout [UInt8]
    ) {
        output.append("HTTP/1.1 ")
        append(response.status, to: &output)
        output.append(UInt8(ascii: " "))
        append(text: StatusLine.reason(of: response.status), to: &output)
        output.append("\r\ndate: ")
        output.append(contentsOf: date)
        for field in response.headers.fields where !isOurs(field.name) {
            output.append("\r\n")
            append(text: field.name, to: &output)
            output.append(": ")
            append(text: field.value, to: &output)
        }
        switch framing {
        case .length(let count):
            output.append("\r\ncontent-length: ")
            append(count, to: &output)
        case .chunked: output.append("\r\ntransfer-encoding: chunked")
        case .untilClose, .bodiless: break
        }
        switch persistence {
        case .assumed: break
        case .keepAlive: output.append("\r\nconnection: keep-alive")
        case .close: output.append("\r\nconnection: close")
        }
        output.append("\r\n\r\n")
    }

    /// - Precondition: the chunk is not empty; an empty one would end the body.
    static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        precondition(!bytes.isEmpty)
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        output.append("\r\n")
        output.append(contentsOf: bytes)
        output.append("\r\n")
    }

    static func allowsBody(status: Int) -> Bool {
        !(100..<200).contains(status) && status != 204 && status != 304
    }

    static func asksToClose(_ response: Response) -> Bool {
        response.headers["connection"]?.lowercased() == "close"
    }

    static func isOurs(_ name: String) -> Bool {
        // Every field of every answer is asked, and most differ in length.
        switch name.utf8.count {
        case 4: name == "date"
        case 10: name == "connection" || name == "keep-alive"
        case 14: name == "content-length"
        case 17: name == "transfer-encoding"
        default: false
        }
    }

    private static func append(_ number: Int, to output: inout [UInt8]) {
        append(text: String(number), to: &output)
    }

    /// A line break in a field, brought in from outside, would split the response in two.
    private static func append(text: String, to output: inout [UInt8]) {
        let start = output.count
        var text = text
        text.withUTF8 { output.append(contentsOf: $0) }
        output.withUnsafeMutableBufferPointer { bytes in
            // Without a branch, so that many bytes are looked at together.
            for index in start..<bytes.count {
                bytes[index] = isForbidden(bytes[index]) ? UInt8(ascii: " ") : bytes[index]
            }
        }
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != UInt8(ascii: "\t")) || byte == 0x7f
    }
}
