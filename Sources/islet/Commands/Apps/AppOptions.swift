import AppKeys
import DatabaseAccess
import Domain
import EventStore
import Terminal

/// What the commands about apps have in common.
enum AppOptions {
    static let tenant = OptionSpec.tenant("Merchant or feed whose app it is.")
    static let bundle = OptionSpec(
        "bundle", .text(placeholder: "ID"), "The app's bundle id, such as com.example.app.")

    static func environment(_ help: String, default text: String? = nil) -> OptionSpec {
        OptionSpec(
            "environment", .choice(AppKeyScope.allCases.map(\.rawValue)), help, default: text)
    }

    static func masterKeys(_ arguments: Arguments) throws(CommandFailure) -> MasterKeys {
        try MasterKeys(file: try arguments.required(MasterKeys.option.name))
    }

    static func name(_ scope: AppKeyScope) -> String {
        scope == .both ? "sandbox and production" : scope.rawValue
    }
}

/// A key on its way into the database.
struct AppKeyAddition: Sendable {
    var tenant: String
    var bundleID: String
    /// Nil for that of the app's other keys.
    var teamID: String?
    var keyID: String
    /// Nil for that of the key in use.
    var scope: AppKeyScope?
    var intent: AppKeyRules.Intent
    private let key: String
    private let masterKeys: MasterKeys

    init(_ arguments: Arguments, _ intent: AppKeyRules.Intent) throws(CommandFailure) {
        tenant = try TenantName.check(try arguments.required("tenant"))
        bundleID = try AppKeyFile.bundleID(try arguments.required("bundle"))
        scope = arguments.text("environment").flatMap(AppKeyScope.init)
        self.intent = intent
        let given = try AppKeyFile.given(arguments, hasTeam: intent == .add)
        keyID = given.keyID
        teamID = given.teamID
        key = given.text
        masterKeys = try AppOptions.masterKeys(arguments)
        if let warning = given.warning { Console.note(warning) }
    }

    /// - Returns: where the key is now.
    func carryOut(_ arguments: Arguments) async throws(CommandFailure) -> AppKeyIdentity {
        try await Database.whileOpen(arguments) {
            database async throws(CommandFailure) -> AppKeyIdentity in
            let apps = database.store.apps
            let owner = try await TenantName.tenant(called: tenant, in: database.store).id
            try await MasterKeys.requireLines(masterKeys, in: database.store)
            let known = try await Database.asked(try await apps.keys())
            let newest = known.last {
                $0.identity.tenant == owner && $0.identity.bundleID.hasBytes(of: bundleID)
            }
            guard let teamID = teamID ?? newest?.identity.teamID else {
                throw .failed(explanation(of: .nothingToRotate))
            }
            let identity = AppKeyIdentity(
                tenant: owner, bundleID: bundleID, teamID: teamID, keyID: keyID,
                scope: scope ?? newest?.identity.scope ?? .both)
            let sealed = masterKeys.seal(key, for: identity)
            let refusal = try await Database.asked(try await apps.add(sealed, intent))
            if let refusal { throw .failed(explanation(of: refusal)) }
            return identity
        }
    }

    private func explanation(of refusal: AppKeyRules.Refusal) -> String {
        switch refusal {
        case .otherTeam(let team):
            "\(bundleID) is an app of the team \(team), as another of its keys has it, and has no "
                + "other: check --team; after a transfer remove the old keys first"
        case .alreadyThere:
            "\(bundleID) has the key \(keyID) already; if this is another key with that id, as a "
                + "simulator's is after each start, remove the old one first with islet apps "
                + "remove --key-id \(keyID)"
        case .covered(let other, let scope):
            "\(bundleID) has the key \(other) for \(AppOptions.name(scope)): put a new one in its "
                + "place with islet apps rotate"
        case .nothingToRotate:
            "\(bundleID) has no key that this one could take over from: add it with islet apps add"
        case .twoAlready(let oldest):
            "\(bundleID) has two keys already: remove the old one first with islet apps remove "
                + "--key-id \(oldest)"
        }
    }
}
