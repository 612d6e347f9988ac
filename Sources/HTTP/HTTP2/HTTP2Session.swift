import CNGHTTP2

/// Owns one nghttp2 session: the protocol's rules without any input or output.
final class HTTP2Session {
    enum Role {
        case client, server
    }

    let pointer: OpaquePointer
    /// Set by a callback that has stopped the reading: what is left of the bytes, or nothing, is to
    /// be handed over again.
    var isPaused = false

    /// - Parameters:
    ///   - userData: handed to every callback; must live as long as the session is fed.
    ///   - register: sets the callbacks.
    init(
        _ role: Role, userData: UnsafeMutableRawPointer, register: (OpaquePointer) -> Void
    ) {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        guard let callbacks else { preconditionFailure("out of memory") }
        defer { nghttp2_session_callbacks_del(callbacks) }
        register(callbacks)
        var session: OpaquePointer?
        switch role {
        case .client: nghttp2_session_client_new(&session, callbacks, userData)
        case .server:
            // What is taken in is said by `consume`: a body that waits for somebody fills its
            // window, and no more comes.
            var option: OpaquePointer?
            nghttp2_option_new(&option)
            nghttp2_option_set_no_auto_window_update(option, 1)
            nghttp2_option_set_max_continuations(option, HTTP2Limits.continuationsMax)
            nghttp2_session_server_new2(&session, callbacks, userData, option)
            nghttp2_option_del(option)
        }
        guard let session else { preconditionFailure("out of memory") }
        pointer = session
    }

    deinit {
        nghttp2_session_del(pointer)
    }

    func submit(settings: [(identifier: nghttp2_settings_id, value: Int)]) {
        let entries = settings.map { setting in
            nghttp2_settings_entry(
                settings_id: Int32(setting.identifier.rawValue),
                value: UInt32(clamping: setting.value))
        }
        let flags = UInt8(NGHTTP2_FLAG_NONE.rawValue)
        let outcome = nghttp2_submit_settings(pointer, flags, entries, entries.count)
        precondition(outcome == 0, "settings refused: \(Self.text(outcome))")
    }

    func widenConnectionWindow() {
        nghttp2_session_set_local_window_size(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, HTTP2Limits.connectionWindowBytes)
    }

    /// A server's: lets the stream's client send as much again.
    func consume(_ count: Int, on stream: Int32) {
        nghttp2_session_consume_stream(pointer, stream, count)
    }

    /// A server's: the same for all streams of the connection.
    func consumeOnConnection(_ count: Int) {
        nghttp2_session_consume_connection(pointer, count)
    }

    /// - Returns: how many of the bytes were taken: all of them, unless `isPaused`.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Int {
        isPaused = false
        let outcome = nghttp2_session_mem_recv(
            pointer, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        guard outcome >= 0 else { throw .protocolViolation(Self.text(Int32(outcome))) }
        return outcome
    }

    /// Appends frames that are ready to be sent until `bytes` has at least `count` bytes.
    func gather(into bytes: inout [UInt8], upTo count: Int) throws(HTTPError) {
        while bytes.count < count {
            var frame: UnsafePointer<UInt8>?
            let length = nghttp2_session_mem_send(pointer, &frame)
            guard length >= 0 else { throw .protocolViolation(Self.text(Int32(length))) }
            if length == 0 { return }
            bytes.append(contentsOf: UnsafeBufferPointer(start: frame, count: length))
        }
    }

    /// Neither side has anything more to say, or an error has been answered with GOAWAY.
    var isFinished: Bool {
        nghttp2_session_want_read(pointer) == 0 && nghttp2_session_want_write(pointer) == 0
    }

    func reset(stream: Int32, code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
    }

    private static func text(_ code: Int32) -> String {
        String(cString: nghttp2_strerror(code))
    }
}
