import AppKeys
public import EventLoop
import Foundation
import TLS
public import Terminal
public import WebClient

/// How webhooks are reached, as the options describe it.
public struct WebhookOptions: Sendable {
    public static let reaching = [
        OptionSpec(
            "webhook-allow-private", .flag,
            "Let webhooks be at addresses of this machine and its network, and without TLS: for "
                + "tests and laptops. Anyone who may add a webhook can reach your network by it."),
        OptionSpec(
            "webhook-authority-file", .text(placeholder: "FILE"),
            "Certificate authority to trust for webhooks instead of the system's, in PEM."),
    ]

    var allowsPrivate: Bool
    var authorityFile: String?

    public init(_ arguments: Arguments) throws(CommandFailure) {
        allowsPrivate = arguments.flag("webhook-allow-private")
        authorityFile = arguments.text("webhook-authority-file")
        // The sender reads it for each message: one that is of no use has to show before.
        try TLSContext.checkTrust("webhook-authority-file", arguments)
    }

    public func client(_ loop: EventLoop) -> WebClient {
        WebClient(
            loop: loop,
            options: .init(allowsPrivate: allowsPrivate, authorityFile: authorityFile))
    }

    /// The end of a sentence about the URL; nil when nothing is wrong that can be seen before it is
    /// asked.
    public func complaint(about url: String) -> String? {
        guard url.utf8.count <= Self.urlBytesMax else {
            return "must not be longer than \(Self.urlBytesMax) bytes"
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let parts = URL(string: url),
            let host = parts.host(), !host.isEmpty, let scheme = parts.scheme?.lowercased(),
            scheme == "https" || (allowsPrivate && scheme == "http")
        else { return "must look like https://host/path" }
        if parts.user() != nil || parts.password() != nil || parts.fragment() != nil {
            return "must have neither a user nor a fragment"
        }
        if let port = parts.port, !(1...65_535).contains(port) {
            return "must have a port from 1 to 65535, or none"
        }
        // As the sender reads it, who may find another host in it, or none.
        guard let asked = WebRequest.host(of: url) else {
            return "must have a host that is a name or an address"
        }
        guard !allowsPrivate else { return nil }
        // Host names may end with the root's dot.
        let name = asked.hasSuffix(".") ? String(asked.dropLast()) : asked
        let isLocal = name == "localhost" || name.hasSuffix(".localhost")
        guard PublicAddress.isPublic(numericHost: name) ?? !isLocal else {
            return "must be one that anybody on the Internet can reach"
        }
        return nil
    }

    private static let urlBytesMax = 2_000
}
