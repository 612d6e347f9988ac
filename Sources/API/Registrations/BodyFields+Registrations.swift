import Domain
import JSON

extension BodyFields {
    /// The wish for a card that is on the phone.
    mutating func cardWish() throws(ProblemDocument) -> CardWish {
        let installation = installation()
        let phone = phone()
        guard errors.isEmpty, var wish = phone else { throw document }
        wish.installation = installation
        return wish
    }

    /// The wish for cards that may be started.
    mutating func startWish(
        of installation: String, _ kind: String
    ) throws(ProblemDocument) -> StartWish {
        let phone = phone()
        let topics = topics()
        guard errors.isEmpty, let phone, let topics else { throw document }
        return StartWish(
            installation: installation, kind: kind, token: phone.token,
            environment: phone.environment, bundleID: phone.bundleID, topics: topics,
            locale: phone.locale, frequentUpdates: phone.frequentUpdates, appBuild: phone.appBuild,
            osMajor: phone.osMajor)
    }

    /// What both wishes have of a phone, without the installation.
    private mutating func phone() -> CardWish? {
        let token = pushToken("pushToken")
        let (environment, bundleID) = (apnsEnvironment(), bundleID())
        let locale = optional("locale", "must be a BCP 47 language tag such as pt-BR") {
            $0.text.flatMap(LanguageTag.truncated)
        }
        let frequent = flag("frequentUpdates")
        let build = optional(
            "appBuild", "must have 1 to \(Limits.appBuildBytesMax) bytes without control characters"
        ) { Self.line($0, bytesMax: Limits.appBuildBytesMax) }
        let system = system()
        guard let token, let environment, let bundleID else { return nil }
        return CardWish(
            token: token, environment: environment, bundleID: bundleID, locale: locale,
            frequentUpdates: frequent ?? false, appBuild: build, osMajor: system)
    }

    mutating func rotation() throws(ProblemDocument) -> (from: PushToken, to: PushToken) {
        let (from, to) = (pushToken("from"), pushToken("to"))
        if let from, from == to { refuse("to", "must be another token than `from`") }
        guard errors.isEmpty, let from, let to else { throw document }
        return (from, to)
    }

    mutating func report() throws(ProblemDocument) -> (CardName, CardReport) {
        let state = required("state", "must be active, stale, ended or dismissed") {
            CardReport(rawValue: $0)
        }
        let bundleID = optional("bundleId", RegistrationRules.bundleID) {
            $0.text.flatMap { RegistrationRules.isBundleID($0) ? $0 : nil }
        }
        let name: CardName?
        switch (body["pushToken"], body["installation"]) {
        case (_, nil): name = pushToken("pushToken").map { .token($0) }
        case (nil, _?): name = installation().map { .installation($0, bundleID: bundleID) }
        case (_?, _?):
            refuse("installation", "must not stand beside `pushToken`")
            name = nil
        }
        guard errors.isEmpty, let name, let state else { throw document }
        return (name, state)
    }

    /// What a phone says of itself that would listen to a channel.
    mutating func listener() throws(ProblemDocument) -> ChannelListener {
        let (environment, bundleID) = (apnsEnvironment(), bundleID())
        let installation = installation()
        if body["installation"] == nil { refuse("installation", "") }
        let system = system()
        if body["osMajor"] == nil { refuse("osMajor", "") }
        guard errors.isEmpty, let environment, let bundleID, let installation, let system else {
            throw document
        }
        return ChannelListener(
            app: AppInEnvironment(bundleID: bundleID, environment: environment),
            installation: installation, osMajor: system)
    }

    /// What a backend says of a channel that it wants.
    mutating func channelWish() throws(ProblemDocument) -> (APNsEnvironment, Channel.Storage?) {
        let environment = apnsEnvironment()
        let storage = optional("storagePolicy", #"must be "none" or "newest""#) {
            $0.text.flatMap { Channel.Storage(rawValue: $0) }
        }
        guard errors.isEmpty, let environment else { throw document }
        return (environment, storage)
    }

    mutating func removal() throws(ProblemDocument) -> PushToken {
        guard let token = pushToken("pushToken") else { throw document }
        return token
    }

    private mutating func pushToken(_ name: String) -> PushToken? {
        required(name, PushToken.requirement) { PushToken(hex: $0) }
    }

    private mutating func apnsEnvironment() -> APNsEnvironment? {
        required("environment", APNsEnvironment.requirement) { APNsEnvironment(rawValue: $0) }
    }

    private mutating func bundleID() -> String? {
        required("bundleId", RegistrationRules.bundleID) {
            RegistrationRules.isBundleID($0) ? $0 : nil
        }
    }

    private mutating func system() -> Int? { number("osMajor", in: 1...999) }

    private mutating func installation() -> String? {
        optional("installation", RegistrationRules.installation) {
            Self.line($0, bytesMax: Limits.installationBytesMax)
        }
    }
}

/// What names have to be, in bodies and in paths.
enum RegistrationRules {
    static let installation =
        "must have 1 to \(Limits.installationBytesMax) bytes without control characters"

    static func isInstallation(_ text: String) -> Bool {
        BodyFields.line(.string(text), bytesMax: Limits.installationBytesMax) != nil
    }

    static let bundleID =
        "must have 1 to \(Limits.bundleIDBytesMax) letters, digits, hyphens and dots, without a "
        + "push-type suffix"

    /// The suffix that names the push type belongs to the topic, which the sender builds.
    static func isBundleID(_ text: String) -> Bool {
        (1...Limits.bundleIDBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            } && !text.contains(".push-type.")
    }
}

struct ChannelListener {
    var app: AppInEnvironment
    var installation: String
    var osMajor: Int
}
