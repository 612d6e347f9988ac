import CUV

/// Why a socket could not be opened or came to its end.
public enum NetworkError: Error, Hashable, Sendable {
    case addressInUse
    case addressNotAvailable
    /// Another process accepts connections on the Unix-domain socket.
    case socketFileInUse
    /// Something else than a socket has the path.
    case socketPathTaken
    /// The path is empty or longer than the kernel takes.
    case socketPathUnusable
    case permissionDenied
    case hostUnknown
    /// As many names are being looked up as may be, or no thread could be made for this one.
    case resolverBusy
    case refused
    case unreachable
    case timedOut
    /// Reset by the peer, or written to after the peer had closed.
    case reset
    case tooManyDescriptors
    /// The loop was shut down.
    case loopStopped
    /// Anything else, by libuv's negative error number.
    case system(code: Int32)

    init(code: Int32) {
        switch uv_errno_t(code) {
        case UV_EADDRINUSE: self = .addressInUse
        case UV_EADDRNOTAVAIL: self = .addressNotAvailable
        case UV_EACCES, UV_EPERM: self = .permissionDenied
        case UV_ECONNREFUSED: self = .refused
        case UV_EHOSTUNREACH, UV_ENETUNREACH, UV_EHOSTDOWN, UV_ENETDOWN: self = .unreachable
        case UV_ETIMEDOUT: self = .timedOut
        case UV_ECONNRESET, UV_EPIPE, UV_ECONNABORTED: self = .reset
        case UV_EMFILE, UV_ENFILE: self = .tooManyDescriptors
        case UV_ECANCELED: self = .loopStopped
        default: self = .system(code: code)
        }
    }
}

extension NetworkError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .addressInUse: "address in use"
        case .addressNotAvailable: "address not available on this machine"
        case .socketFileInUse:
            "another process accepts connections there; stop it, or give another path"
        case .socketPathTaken:
            "there is a file that is no socket; move it away, or give another path"
        case .socketPathUnusable: "a socket's path has 1 to 107 bytes; give a shorter one"
        case .permissionDenied: "permission denied"
        case .hostUnknown: "host unknown"
        case .resolverBusy: "name resolution is busy"
        case .refused: "connection refused"
        case .unreachable: "unreachable"
        case .timedOut: "timed out"
        case .reset: "connection reset"
        case .tooManyDescriptors: "too many open files"
        case .loopStopped: "event loop stopped"
        case .system(let code): String(cString: uv_strerror(code))
        }
    }
}
