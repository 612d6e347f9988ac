import CNGHTTP2

/// What nghttp2 calls while it reads or writes frames. All on the loop's thread, inside a call of
/// the pump, so none of these may end the session or run a handler.
extension HTTP2ServerConnection {
    private static func at(_ userData: UnsafeMutableRawPointer?) -> HTTP2ServerConnection? {
        userData.map { Unmanaged<HTTP2ServerConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    static func register(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, userData in
            guard let frame else { return 0 }
            HTTP2ServerConnection.at(userData)?.beginHead(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, _, name, nameCount, value, valueCount, _, userData in
            HTTP2ServerConnection.at(userData)?.receive(
                name: UnsafeBufferPointer(start: name, count: nameCount),
                value: UnsafeBufferPointer(start: value, count: valueCount)) ?? 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, streamID, data, count, userData in
            guard let connection = HTTP2ServerConnection.at(userData) else { return 0 }
            connection.session?.consumeOnConnection(count)
            if let stream = connection.streams[streamID] {
                connection.take(UnsafeBufferPointer(start: data, count: count), on: stream)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, userData in
            guard let frame else { return 0 }
            HTTP2ServerConnection.at(userData)?.received(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) {
            _, frame, _, userData in
            // A stream that was refused has never been one of `streams`, whose ends are counted.
            guard let frame, let connection = HTTP2ServerConnection.at(userData),
                connection.streams[frame.pointee.hd.stream_id] == nil
            else { return 0 }
            connection.countGivenUp()
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) {
            _, streamID, _, userData in
            let connection = HTTP2ServerConnection.at(userData)
            guard let stream = connection?.streams.removeValue(forKey: streamID) else { return 0 }
            if stream.phase != .answering { connection?.countGivenUp() }
            connection?.dropBody(of: stream)
            stream.cancel()
            return 0
        }
    }

    static let readBody: nghttp2_data_source_read_callback = {
        _, streamID, buffer, capacity, flags, _, userData in
        guard let connection = HTTP2ServerConnection.at(userData),
            let stream = connection.streams[streamID]
        else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        let count = stream.take(
            into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
        if stream.outgoing.count < HTTP2Limits.streamedBytesMax { stream.resumeProducer(true) }
        stream.takenBytes += count
        if stream.isOutgoingWhole && stream.outgoing.isEmpty {
            flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
            connection.touch(stream)
        } else if count == 0 {
            // The producer is at fault now, not the peer: no time limit while it thinks.
            stream.isDeferred = true
            stream.dueMillis = .max
            stream.waiting.drop()
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        } else if stream.takenBytes >= HTTP2Limits.renewingBytes {
            connection.touch(stream)
        }
        return count
    }

    private func beginHead(_ frame: UnsafePointer<nghttp2_frame>) {
        receivingHead = nil
        (blockBytes, blockFields) = (0, 0)
        guard frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return }
        let stream = HTTP2ServerStream(
            id: frame.pointee.hd.stream_id, connectionID: id,
            bodyBytesMax: server.limits.bodyBytesMax,
            dueMillis: server.due(in: server.limits.headTimeoutSeconds),
            accounts: server.control.accounts)
        streams[stream.id] = stream
        receivingHead = stream
    }

    /// - Returns: how nghttp2 is to go on.
    private func receive(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        guard count(name: name, value: value) else {
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        keep(name: name, value: value)
        if mayDecode() { return 0 }
        session?.isPaused = true
        return NGHTTP2_ERR_PAUSE.rawValue
    }

    private func keep(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard let stream = receivingHead, stream.phase == .receiving else { return }
        stream.headBytes = blockBytes
        guard blockBytes <= server.limits.headBytesMax,
            stream.request.headers.fields.count < server.limits.headersMax
        else {
            countGivenUp()
            let detail = "The header fields are too many or too long."
            return refuse(stream, Rejection(.headTooLarge, detail))
        }
        let text = String(decoding: value, as: UTF8.self)
        guard name.first == UInt8(ascii: ":") else {
            return stream.request.headers.append(String(decoding: name, as: UTF8.self), text)
        }
        // nghttp2 has checked which there are, and that each is there at most once.
        switch name.count {
        case ":path".utf8.count where name[1] == UInt8(ascii: "p"): stream.request.target = text
        case ":method".utf8.count where name[1] == UInt8(ascii: "m"): stream.request.method = text
        case ":authority".utf8.count: stream.request.headers.append("host", text)
        default: break
        }
    }

    private func received(_ frame: UnsafePointer<nghttp2_frame>) {
        count(frame)
        let head = frame.pointee.hd
        guard
            head.type == UInt8(NGHTTP2_HEADERS.rawValue)
                || head.type == UInt8(NGHTTP2_DATA.rawValue),
            let stream = streams[head.stream_id]
        else { return }
        let isOver = head.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        if receivingHead === stream {
            receivingHead = nil
            if stream.phase == .receiving { checkHead(of: stream, hasBody: !isOver) }
        }
        if isOver { bodyEnded(on: stream) }
    }

    private func checkHead(of stream: HTTP2ServerStream, hasBody: Bool) {
        stream.dueMillis = server.due(in: server.limits.bodyTimeoutSeconds)
        // CONNECT has no path; this server is no proxy.
        if stream.request.method == "CONNECT" {
            return refuse(stream, Rejection(.malformed, "CONNECT is not served here."))
        }
        if server.isForClients {
            do throws(Rejection) { try complete(&stream.request) } catch {
                return refuse(stream, error)
            }
        }
        guard reserveHead(of: stream) else {
            return refuse(
                stream,
                Rejection(
                    .noRoomForBody,
                    "The server has as many requests as it has room for; try again."))
        }
        guard hasBody else { return }
        let announced = stream.request.headers["content-length"].flatMap { Int($0) }
        // Refused before the client has sent it all.
        if let announced, announced > server.limits.bodyBytesMax,
            !server.control.streamsBody(stream.request)
        {
            return refuse(stream, RequestParser.bodyTooLarge(server.limits.bodyBytesMax))
        }
        stream.request.body.reserveCapacity(
            max(0, min(announced ?? 0, HTTP2Limits.reservedBodyBytesMax)))
        heads.append(stream)
    }

    /// Refuses what another server on the way might read differently, and brings the request into
    /// the form that handlers know.
    private func complete(_ request: inout Request) throws(Rejection) {
        let hosts = Set(request.headers.values(of: "host"))
        guard hosts.count == 1 else {
            throw Rejection(.malformed, "A request needs exactly one authority.")
        }
        try RequestHead.check(host: hosts.first)
        request.target = try RequestHead.normalized(request.target, method: request.method)
        // Browsers may send one field of cookies for each (RFC 9113, 8.2.3).
        let cookies = request.headers.values(of: "cookie")
        if cookies.count > 1 {
            request.headers = request.headers.without("cookie")
            request.headers.append("cookie", cookies.joined(separator: "; "))
        }
        request.isSecure = true
    }
}
