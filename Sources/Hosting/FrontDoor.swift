import API
import EventLoop
import HTTP
import Terminal

/// How clients come in: how many, from where, and through which proxies.
struct FrontDoor {
    let limits: ServerLimits
    let proxies: [AddressRange]
    let cors: CORSPolicy
    /// Nil for a server without TLS.
    let certificate: ServedCertificate?
    /// Permissions of a Unix-domain socket's file.
    let socketMode: UInt32

    static let options = ServedCertificate.options + listening

    private static let listening = [
        OptionSpec(
            "socket-mode", .text(placeholder: "OCTAL"),
            "Permissions of the socket's file where --host or --metrics-host is unix:PATH; who "
                + "may write to it may connect.",
            default: "660"),
        OptionSpec(
            "connections-max", .integer(DescriptorPlan.connectionsMin...1_000_000),
            "Client connections at a time. Fewer where the limit of open files leaves no room for "
                + "them; the log says how many at the start.",
            default: "\(ServerLimits.standard.connectionsMax)"),
        OptionSpec(
            "connections-per-address-max", .integer(1...1_000_000),
            "Of them, those from one address; for IPv6, from one network of 64 bits. Default: an "
                + "eighth. Trusted proxies are not counted."),
        OptionSpec(
            "trusted-proxy", .text(placeholder: "CIDR"),
            "Address or network, such as 10.0.0.0/8, of proxies that pass requests on; unix for "
                + "those that come by the Unix-domain socket. Only they are believed on a client's "
                + "address, in X-Forwarded-For or Forwarded.",
            repeats: true),
        OptionSpec(
            "cors-origin", .text(placeholder: "ORIGIN"),
            "Origin, such as https://app.example.com, whose pages may call the API from a browser; "
                + "they need a key or a ticket like everybody. Default: none but the dashboard.",
            repeats: true),
    ]

    /// One address has an eighth of the connections unless somebody says otherwise.
    private static let addressShare = 8

    static func open(_ arguments: Arguments, log: Log) throws(CommandFailure) -> FrontDoor {
        let (limits, plan) = try limits(arguments)
        let door = FrontDoor(
            limits: limits, proxies: try proxies(arguments), cors: try cors(arguments),
            certificate: try ServedCertificate.make(arguments),
            socketMode: try socketMode(arguments))
        _ = try metricsIdentity(arguments, door.certificate)
        try refuseUnusableSockets(arguments)
        try refuseSharedAddress(arguments)
        report(plan, limits, to: log)
        return door
    }

    static func socketMode(_ arguments: Arguments) throws(CommandFailure) -> UInt32 {
        let text = arguments.text("socket-mode") ?? ""
        guard let mode = UInt32(text, radix: 8), mode <= 0o777 else {
            throw .usage(
                "--socket-mode must be permissions as chmod takes them, such as 660, "
                    + "not \"\(text)\"")
        }
        return mode
    }

    /// What the port for metrics shows; nil without TLS.
    static func metricsIdentity(
        _ arguments: Arguments, _ certificate: ServedCertificate?
    ) throws(CommandFailure) -> ServerIdentity? {
        guard arguments.flag("metrics-tls") else { return nil }
        guard let certificate else {
            throw .usage("--metrics-tls needs a certificate; give --tls-certificate and --tls-key")
        }
        return certificate.identity
    }

    /// A socket that nobody can name, or whose name is longer than the kernel takes.
    static func refuseUnusableSockets(_ arguments: Arguments) throws(CommandFailure) {
        let names = MetricsListener.isWanted(arguments) ? ["host", "metrics-host"] : ["host"]
        for name in names {
            guard let path = arguments.text(name).flatMap(SocketFile.path(of:)) else { continue }
            guard !path.isEmpty else {
                throw .usage(
                    "--\(name) is unix: without the path of a socket; give one, such as "
                        + "unix:/run/islet/\(name == "host" ? "islet" : "metrics").sock")
            }
            guard path.utf8.count <= SocketFile.pathBytesMax else {
                throw .usage(
                    "--\(name) has a path of \(path.utf8.count) bytes, and a socket's has at most "
                        + "\(SocketFile.pathBytesMax); give a shorter one")
            }
        }
    }

    /// Metrics have a port of their own: only one server can listen at an address.
    static func refuseSharedAddress(_ arguments: Arguments) throws(CommandFailure) {
        guard MetricsListener.isWanted(arguments) else { return }
        let host = arguments.text("host") ?? ""
        let metricsHost = arguments.text("metrics-host") ?? ""
        let (port, metricsPort) = (arguments.integer("port"), arguments.integer("metrics-port"))
        if host.hasPrefix("unix:") {
            guard host == metricsHost else { return }
            throw .usage("--host and --metrics-host are one socket, \(host); give two")
        }
        guard port == metricsPort, let port, port != 0, overlap(host, metricsHost) else { return }
        throw .usage(
            "--port and --metrics-port are both \(port), at \(metricsHost); give another "
                + "--metrics-port")
    }

    private static func overlap(_ first: String, _ second: String) -> Bool {
        func addresses(_ host: String) -> [String] {
            host == "localhost" ? ["127.0.0.1", "::1"] : [host]
        }
        guard !second.hasPrefix("unix:") else { return false }
        return addresses(first).contains { one in
            addresses(second).contains { other in
                // What listens at `::` takes IPv4 as well.
                one == other || [one, other].contains("::")
                    || [one, other].contains("0.0.0.0") && !(one + other).contains(":")
            }
        }
    }

    static func url(host: String, port: Int, isSecure: Bool) -> String {
        host.hasPrefix("unix:") ? host : "\(isSecure ? "https" : "http")://\(host):\(port)"
    }

    static func limits(
        _ arguments: Arguments, descriptorsMax: Int = DescriptorPlan.raiseLimit()
    ) throws(CommandFailure) -> (limits: ServerLimits, plan: DescriptorPlan) {
        var limits = ServerLimits.standard
        limits.bodyBytesMax = LimitOptions.limits(arguments).bodyBytesMax
        let plan = try DescriptorPlan(
            descriptorsMax: descriptorsMax,
            wished: arguments.integer("connections-max") ?? limits.connectionsMax)
        limits.connectionsMax = plan.connectionsMax
        limits.connectionsPerAddressMax = min(
            plan.connectionsMax,
            arguments.integer("connections-per-address-max")
                ?? max(1, plan.connectionsMax / addressShare))
        return (limits, plan)
    }

    static func proxies(_ arguments: Arguments) throws(CommandFailure) -> [AddressRange] {
        try arguments.texts("trusted-proxy").map { (text) throws(CommandFailure) -> AddressRange in
            guard let range = AddressRange(text) else {
                throw .usage(
                    "--trusted-proxy must be unix, an address or a network such as 10.0.0.0/8 or "
                        + "fd00::/8, not \"\(text)\"")
            }
            return range
        }
    }

    static func cors(_ arguments: Arguments) throws(CommandFailure) -> CORSPolicy {
        let origins = try arguments.texts("cors-origin").map {
            (text) throws(CommandFailure) -> String in
            guard let origin = CORSPolicy.origin(text) else {
                throw .usage(
                    "--cors-origin must be an origin as browsers write it, such as "
                        + "https://app.example.com or http://localhost:5173, not "
                        // It may have a password.
                        + (text.contains("@") ? "one with a user" : "\"\(text)\""))
            }
            return origin
        }
        return CORSPolicy(origins: Set(origins))
    }

    static func report(_ plan: DescriptorPlan, _ limits: ServerLimits, to log: Log) {
        log(
            .info, "room for clients",
            [
                "connectionsMax": "\(limits.connectionsMax)",
                "connectionsPerAddressMax": "\(limits.connectionsPerAddressMax)",
                "openFilesMax": "\(plan.descriptorsMax)",
                "openFilesReserved": "\(DescriptorPlan.reserved)",
            ])
    }

    static func report(isShort: Bool, to log: Log) {
        if isShort {
            log(
                .warning,
                "no more files can be opened: new clients wait until some are closed; raise the "
                    + "limit of open files or lower --connections-max")
        } else {
            log(.info, "files can be opened again: new clients are let in")
        }
    }
}
