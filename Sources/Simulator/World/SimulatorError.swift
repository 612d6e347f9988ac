/// Why the simulator could not do what it was asked.
public enum SimulatorError: Error, Hashable, Sendable {
    /// No socket, certificate or key; the text says which.
    case cannotStart(String)
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
    /// Apple has no channel for the app.
    case channelRefused(APNsRefusal)
}
