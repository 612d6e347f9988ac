import APNs
public import Domain

/// How a push is written down, and what it may weigh. A transport beside APNs would be one case
/// more, and nothing else here would ask for it: docs/decisions/0077.
public enum PushFormat: Hashable, Sendable {
    /// A push to one phone, by APNs.
    case device
    /// A push to the listeners of a channel, by APNs.
    case broadcast

    /// The format for a phone: the same in each environment, as long as there is one transport.
    public init(for _: APNsEnvironment) { self = .device }

    /// Bytes of the whole body.
    public var bytesMax: Int {
        switch self {
        case .device: APNs.Limits.devicePayloadBytesMax
        case .broadcast: APNs.Limits.broadcastPayloadBytesMax
        }
    }

    /// The payload as it is sent.
    func body(_ payload: Payload) -> [UInt8] { payload.json }
}
