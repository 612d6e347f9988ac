public import TLS
public import Terminal

extension TLSContext {
    /// A client's, which trusts the authority in the file that an option names, or without the
    /// option whom the system trusts.
    public static func client(
        trusting option: String, _ arguments: Arguments
    ) throws(CommandFailure) -> TLSContext {
        let trust = arguments.text(option).map { Trust.file($0) } ?? .system
        do throws(TLSError) { return try .client(trust: trust) } catch {
            throw .failed("--\(option) cannot be used: \(error)")
        }
    }

    /// Refuses a file of authorities that is of no use before anybody needs it.
    public static func checkTrust(
        _ option: String, _ arguments: Arguments
    ) throws(CommandFailure) {
        if arguments.text(option) != nil { _ = try client(trusting: option, arguments) }
    }
}
