import CNGHTTP2

/// What nghttp2 calls while it reads or writes frames. All on the loop's thread, inside a call of
/// the pump, so none of these may end the session.
extension HTTP2Connection {
    static func at(_ userData: UnsafeMutableRawPointer?) -> HTTP2Connection? {
        userData.map { Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    static func register(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, userData in
            guard let connection = HTTP2Connection.at(userData), let frame else { return 0 }
            let exchange = connection.exchanges[frame.pointee.hd.stream_id]
            // With a status already there, these are trailers: of no use to anybody here.
            connection.receivingHead = exchange?.response.status == 0 ? exchange : nil
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, valueCount, _, userData in
            HTTP2Connection.at(userData)?.receive(
                name: UnsafeBufferPointer(start: name, count: nameCount),
                value: UnsafeBufferPointer(start: value, count: valueCount))
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, streamID, data, count, userData in
            guard let connection = HTTP2Connection.at(userData),
                let exchange = connection.exchanges[streamID]
            else {
                return 0
            }
            connection.receive(UnsafeBufferPointer(start: data, count: count), for: exchange)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, userData in
            guard let connection = HTTP2Connection.at(userData), let frame else { return 0 }
            connection.receive(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, userData in
            guard let connection = HTTP2Connection.at(userData), let frame else { return 0 }
            if frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) {
                connection.lastSentStreamID = max(
                    connection.lastSentStreamID, frame.pointee.hd.stream_id)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, streamID, code, userData in
            HTTP2Connection.at(userData)?.streamClosed(streamID, HTTP2ErrorCode(rawValue: code))
            return 0
        }
    }

    static let readBody: nghttp2_data_source_read_callback = {
        _, streamID, buffer, capacity, flags, _, userData in
        guard let connection = HTTP2Connection.at(userData),
            let exchange = connection.exchanges[streamID]
        else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let body = exchange.request.body
        let count = min(capacity, body.count - exchange.bodyBytesSent)
        body.withUnsafeBytes { bytes in
            let part = bytes[exchange.bodyBytesSent..<(exchange.bodyBytesSent + count)]
            UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyBytes(from: part)
        }
        exchange.bodyBytesSent += count
        if exchange.bodyBytesSent == body.count {
            flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }

    private func receive(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let exchange = receivingHead else { return }
        exchange.headBytes += name.count + value.count + 32
        if exchange.headBytes > HTTP2Limits.responseHeadBytesMax {
            return abandon(exchange, .tooLarge)
        }
        let text = String(decoding: value, as: UTF8.self)
        if name.first == UInt8(ascii: ":") {
            // The only one a response has is ":status"; nghttp2 has checked it.
            exchange.response.status = Int(text) ?? 0
        } else {
            exchange.response.headers.append(String(decoding: name, as: UTF8.self), text)
        }
    }

    private func receive(_ bytes: UnsafeBufferPointer<UInt8>, for exchange: HTTP2Exchange) {
        guard exchange.responseBody.count + bytes.count <= responseBytesMax else {
            return abandon(exchange, .tooLarge)
        }
        exchange.responseBody.append(contentsOf: bytes)
    }

    private func receive(_ frame: UnsafePointer<nghttp2_frame>) {
        let head = frame.pointee.hd
        switch UInt32(head.type) {
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard let exchange = exchanges[head.stream_id] else { return }
            receivingHead = nil
            if head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
                exchange.isAnswered = true
            } else if (100..<200).contains(exchange.response.status) {
                // An interim answer: the real one is still to come.
                exchange.response = Response(status: 0)
            }
        case NGHTTP2_SETTINGS.rawValue:
            if head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { settingsArrived() }
        case NGHTTP2_PING.rawValue:
            if head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0 { unansweredPingMillis = nil }
        case NGHTTP2_GOAWAY.rawValue:
            goAwayArrived(
                lastStreamID: frame.pointee.goaway.last_stream_id,
                body: UnsafeBufferPointer(
                    start: frame.pointee.goaway.opaque_data,
                    count: frame.pointee.goaway.opaque_data_len))
        default: break
        }
    }

    private func streamClosed(_ streamID: Int32, _ code: HTTP2ErrorCode) {
        guard let exchange = exchanges.removeValue(forKey: streamID) else { return }
        if exchange.isAnswered && (code == .noError || code == .cancel) {
            exchange.response.body = .bytes(exchange.responseBody)
            finish(exchange, .success(exchange.response))
        } else if let lastProcessedStreamID, streamID > lastProcessedStreamID {
            finish(exchange, .failure(.goingAway))
        } else {
            finish(exchange, .failure(.streamReset(code: code.rawValue)))
        }
    }
}
