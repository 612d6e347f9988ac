/// Why the simulator could not do what it was asked.
public enum SimulatorError: Error, Hashable, Sendable {
    /// No certificate or key; the text says which.
    case cannotStart(String)
    /// One of its ports cannot be opened; the text says why.
    case cannotListen(on: SimulatorPort, String)
    case unknownKind(String)
    case unknownPhone
    /// The app itself could not start the activity; the text names the member that does not decode.
    case activityRefused(String)
    /// The app has no update token for the activity; the text says why.
    case noToken(String)
    case tooManyPhones
    case tooManyFaults
    /// The phone's iOS is too old for what was asked of it; the text says what and since when.
    case systemTooOld(String)
}

/// What the simulator listens on; the raw values begin the names of the options.
public enum SimulatorPort: String, Sendable {
    /// Pushes and broadcasts.
    case apns
    /// Channels.
    case management
    /// Phones and faults.
    case control
}

extension SimulatorError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotStart(let what): what
        case .cannotListen(let port, let why): "cannot listen on the \(port.rawValue) port: \(why)"
        case .unknownKind(let kind): "no kind is called \(kind)"
        case .unknownPhone: "no phone has this id"
        case .activityRefused(let what): "the app refuses to start: \(what)"
        case .noToken(let why): why
        case .tooManyPhones: "there are as many phones as there may be"
        case .tooManyFaults: "as many faults last or wait as may"
        case .systemTooOld(let what): "the phone's iOS is too old: \(what)"
        }
    }
}
