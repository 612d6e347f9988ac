import EventLoop
import Foundation
import HTTP
import TLS
import Terminal

/// The certificate that `islet serve` shows its clients, as its files say. They are read again at
/// SIGHUP and when they change; what cannot be served leaves what was read before in force.
final class ServedCertificate: Sendable {
    static let options = [
        OptionSpec(
            "tls-certificate", .text(placeholder: "FILE"),
            "PEM file with the certificate that clients are shown and those between it and the "
                + "authority. The server then speaks HTTPS, by HTTP/2 or HTTP/1.1. The file is "
                + "read again when it changes. Default: plain HTTP.",
            needs: "tls-key", isReloadable: true),
        OptionSpec(
            "tls-key", .text(placeholder: "FILE"),
            "PEM file with the certificate's private key, without a password. Only its owner "
                + "should be able to read it.",
            needs: "tls-certificate", isReloadable: true),
    ]

    /// How often the files are looked at.
    static let lookSeconds = 10.0

    private typealias Files = (certificate: String, key: String)

    /// What was in the files.
    private struct Content: Hashable {
        var certificate: String
        var key: String
    }

    private struct State {
        var files: Files
        var content: Content
        /// What was found bad, so that it is said once; and whether it was seen twice: files are
        /// replaced one after the other.
        var bad: (content: Content?, isReported: Bool)?
    }

    let identity: ServerIdentity
    private let state: Lock<State>

    /// - Returns: nil for a server without TLS.
    static func make(_ arguments: Arguments) throws(CommandFailure) -> ServedCertificate? {
        guard let files = try files(arguments) else { return nil }
        let content = try read(files)
        let served = ServedCertificate(files, content, try context(content, files))
        SecretFile.warnIfOpen(files.key, option: "tls-key")
        return served
    }

    private init(_ files: Files, _ content: Content, _ context: TLSContext) {
        identity = ServerIdentity(context)
        state = Lock(State(files: files, content: content))
    }

    /// What is shown now.
    var context: TLSContext { identity.withLock { $0 } }

    /// When the certificate ends, in seconds of Unix time.
    var end: Int64? { context.certificateEnd }

    /// - Returns: false when nothing has changed.
    /// - Throws: why what was read before stays in force.
    func reload(_ arguments: Arguments) throws(CommandFailure) -> Bool {
        guard let files = try Self.files(arguments) else {
            throw .failed("the server goes on with TLS until a restart")
        }
        do throws(CommandFailure) { return try take(files) } catch {
            // Who asked says it: the next looks need not say it again.
            let content = try? Self.read(files)
            state.withLock { $0.bad = (content, true) }
            throw error
        }
    }

    /// Both files are read at once, so that what is wrong with them is said once.
    var reloading: Reloading.Item {
        Reloading.Item(options: Self.options.map(\.name)) {
            (fresh) async throws(CommandFailure) in try self.reload(fresh)
        }
    }

    private func take(_ files: Files) throws(CommandFailure) -> Bool {
        let content = try Self.read(files)
        guard content != state.withLock({ $0.content }) else {
            state.withLock { $0.files = files }
            return false
        }
        let context = try Self.context(content, files)
        if let end = context.certificateEnd, end <= Int64(Date.now.timeIntervalSince1970) {
            throw .failed("--tls-certificate: \(files.certificate) has expired; give a newer one")
        }
        identity.withLock { $0 = context }
        state.withLock { $0 = State(files: files, content: content) }
        return true
    }

    /// Looks at the files until the task is cancelled.
    func watch(log: Log) async {
        warnIfEnded(log)
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(Self.lookSeconds)) } catch { return }
            look(log)
        }
    }

    func look(_ log: Log) {
        let files = state.withLock { $0.files }
        do throws(CommandFailure) {
            guard try take(files) else { return state.withLock { $0.bad = nil } }
            log(.info, "the files of --tls-certificate have changed: new clients see the new one")
            warnIfEnded(log)
        } catch {
            let content = try? Self.read(files)
            let isReported = state.withLock { state in
                let isKnown = state.bad.map { $0.content == content } ?? false
                let isNew = isKnown && state.bad?.isReported == false
                state.bad = (content, isKnown)
                return !isNew
            }
            if isReported { return }
            log(
                .error, "not taken over: what was read before stays in force",
                ["option": "--tls-certificate,--tls-key", "why": error.text])
        }
    }

    private func warnIfEnded(_ log: Log) {
        guard let end, end <= Int64(Date.now.timeIntervalSince1970) else { return }
        log(.error, "the certificate of --tls-certificate has expired: clients refuse it")
    }

    // MARK: Files

    private static func files(_ arguments: Arguments) throws(CommandFailure) -> Files? {
        switch (arguments.text("tls-certificate"), arguments.text("tls-key")) {
        case (let certificate?, let key?): return (certificate, key)
        case (nil, nil): return nil
        case (nil, _?): throw .usage("--tls-key says nothing without --tls-certificate; give both")
        case (_?, nil): throw .usage("--tls-certificate needs its key; give --tls-key too")
        }
    }

    private static func read(_ files: Files) throws(CommandFailure) -> Content {
        Content(
            certificate: try GivenFile.text(files.certificate, option: "tls-certificate"),
            key: try GivenFile.text(files.key, option: "tls-key"))
    }

    private static func context(
        _ content: Content, _ files: Files
    ) throws(CommandFailure) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext.server(
                certificateChainPEM: content.certificate, privateKeyPEM: content.key,
                alpn: ["h2", "http/1.1"], refusesOthers: false)
        } catch {
            switch error {
            case .certificateUnreadable:
                throw .failed(
                    "--tls-certificate: \(files.certificate) has no certificate in PEM form "
                        + "that can be served: \(error)")
            default:
                throw .failed(
                    "--tls-key: \(files.key) has no private key in PEM form for the "
                        + "certificate in \(files.certificate): \(error)")
            }
        }
    }
}
