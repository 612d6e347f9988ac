import Glibc

/// Why a call of the system failed.
public enum SystemError {
    /// For people.
    /// - Parameter code: by default that of the thread's last call.
    public static func text(_ code: Int32? = nil) -> String {
        String(cString: strerror(code ?? errno))
    }
}
