import AppKeys
import DatabaseAccess
import EventStore
import Terminal

extension Command {
    static let appsAdd = Command(
        path: ["apps", "add"],
        summary: "Add an app of a tenant with its key for APNs.",
        discussion: """
            Phones of the app are sent to from then on, also those that waited; running servers
            take it up within seconds. Two tenants may have the same app, each with a key of its
            own row. Apple ties new keys to one environment: add one for each then.
            """,
        options: [
            AppOptions.tenant, AppOptions.bundle, AppKeyFile.teamOption, AppKeyFile.keyIDOption,
            AppKeyFile.option,
            AppOptions.environment("What the key is for.", default: AppKeyScope.both.rawValue),
            MasterKeys.option, OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet apps add --tenant pizzeria --bundle com.example.pizza --team DEF123GHIJ "
                + "--key-id ABC123DEFG --key-file AuthKey_ABC123DEFG.p8 "
                + "--master-key-file master.key"
        ]
    ) { (arguments) async throws(CommandFailure) in
        let identity = try await AppKeyAddition(arguments, .add).carryOut(arguments)
        Console.done(
            arguments, document(identity),
            "Pushes of \(identity.bundleID) in \(AppOptions.name(identity.scope)) go with the key "
                + "\(identity.keyID) from now on.")
    }

    static let appsRotate = Command(
        path: ["apps", "rotate"],
        summary: "Give an app a new key beside the old one, without a gap.",
        discussion: """
            The new key takes over at once; pushes under way are finished with the old one, which
            stays until islet apps remove --key-id. Removing the new one goes back to the old.
            """,
        options: [
            AppOptions.tenant, AppOptions.bundle, AppKeyFile.keyIDOption, AppKeyFile.option,
            AppOptions.environment("What the key is for. Without it: what the newest one is for."),
            MasterKeys.option, OptionSpec.json,
        ] + Database.options,
        examples: [
            "islet apps rotate --tenant pizzeria --bundle com.example.pizza --key-id HIJ456KLMN "
                + "--key-file AuthKey_HIJ456KLMN.p8 --master-key-file master.key"
        ]
    ) { (arguments) async throws(CommandFailure) in
        let identity = try await AppKeyAddition(arguments, .rotate).carryOut(arguments)
        Console.done(
            arguments, document(identity),
            "The key \(identity.keyID) of \(identity.bundleID) takes over in "
                + "\(AppOptions.name(identity.scope)). When islet apps list shows no alarm, remove "
                + "the old one, then revoke it on Apple's site.")
    }

    /// Which key signs the pushes of which app.
    private static func document(_ identity: AppKeyIdentity) -> [String: String] {
        [
            "bundleId": identity.bundleID, "keyId": identity.keyID,
            "environment": identity.scope.rawValue,
        ]
    }
}
