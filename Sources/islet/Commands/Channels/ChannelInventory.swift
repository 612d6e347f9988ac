import APNs
import APNsClient
import AppKeys
import DatabaseAccess
import Domain
import EventStore
import Explaining
import Foundation
import PostgresStore
import Terminal

/// What Islet knows of channels beside what APNs lists.
struct ChannelInventory: Sendable {
    struct Row: Encodable, Hashable {
        enum Finding: String, Encodable {
            /// Both know it.
            case known
            /// APNs lists it, and no row of any tenant names it.
            case orphaned
            /// A row says that it is open, and APNs does not list it.
            case lost
            /// It is not there yet.
            case wanted, creating
            /// APNs was not asked, or did not say.
            case unchecked
        }

        var bundleID: String
        var environment: String
        var finding: Finding
        var channelID: String?
        var tenant: Int32?
        var activity: String?
        var storagePolicy: String?
        var since: String?
        /// Why APNs did not do what was last asked, or was not asked.
        var lastFailure: String?

        private enum CodingKeys: String, CodingKey {
            case environment, finding, tenant, activity, storagePolicy, since, lastFailure
            case bundleID = "bundleId"
            case channelID = "channelId"
        }
    }

    let app: AppInEnvironment
    let rows: [Row]
    /// Channels that APNs lists; nil when it was not asked, or did not say.
    let listed: Int?
    /// One is being made just now, so that one which looks orphaned may be about to be named.
    let isMakingOne: Bool

    var orphans: [String] { rows.filter { $0.finding == .orphaned }.compactMap(\.channelID) }

    /// What to do about each reason for which APNs refuses the app's key for channels, without a
    /// full stop.
    var remedies: [String] {
        let reasons = Set(rows.compactMap(\.lastFailure)).filter { reason in
            // No status of a refused key, so that the reason alone counts.
            PushResponse(status: 400, reason: Reason(reason)).verdict == .credentialsRefused
        }
        return reasons.sorted().map { Self.remedy(app, refusedFor: $0) }
    }

    static func remedy(_ app: AppInEnvironment, refusedFor reason: String) -> String {
        "\(reason): " + AppSuspension.keyRefused.explanation(for: app, reason: reason)
    }

    /// - Parameters:
    ///   - known: all current channels, read after APNs was asked: one that was named between
    ///     the two is no orphan.
    ///   - listed: as APNs has them; nil when it was not asked, or did not say.
    init(_ app: AppInEnvironment, known: [Channel], listed: [String]?) {
        self.app = app
        self.listed = listed?.count
        let there = listed.map { Set($0) }
        let mine = known.filter { $0.app == app }
        isMakingOne = mine.contains { $0.state == .creating }
        let named = Set(mine.compactMap(\.channelID))
        let orphaned = (there ?? []).subtracting(named).sorted()
        rows =
            mine.compactMap { Self.row($0, there) }
            + orphaned.map {
                Row(
                    bundleID: app.bundleID, environment: app.environment.rawValue,
                    finding: .orphaned, channelID: $0)
            }
    }

    /// Nil for one that is no more.
    private static func row(_ channel: Channel, _ there: Set<String>?) -> Row? {
        let isListed = channel.channelID.map { there?.contains($0) ?? false } ?? false
        let finding: Row.Finding
        switch channel.state {
        case .wanted: finding = .wanted
        case .creating: finding = .creating
        case .open: finding = there == nil ? .unchecked : isListed ? .known : .lost
        case .lost, .deleted, .withdrawn: return nil
        }
        return Row(
            bundleID: channel.app.bundleID, environment: channel.app.environment.rawValue,
            finding: finding, channelID: channel.channelID, tenant: channel.tenant.rawValue,
            activity: channel.activityID.rawValue, storagePolicy: channel.storage.rawValue,
            since: (channel.openedAt ?? channel.wantedAt).rfc3339,
            lastFailure: channel.lastFailure)
    }
}

/// Asks APNs and the store for inventories.
struct ChannelSurvey: Sendable {
    static let appOptions = [
        OptionSpec(
            "bundle-id", .text(placeholder: "ID"),
            "Also look at this app, for which Islet may know no channel."),
        OptionSpec(
            "environment", .choice(APNsEnvironment.allCases.map(\.rawValue)),
            "Only this one of Apple's environments."),
    ]

    let store: EventStore
    /// Nil when there is no way to any key.
    let router: AppRouter?

    /// - Returns: also why APNs did not list those of an app: its channels are unchecked then.
    func inventories(
        _ arguments: Arguments
    ) async throws(CommandFailure) -> (all: [ChannelInventory], failures: [CommandFailure]) {
        var inventories: [ChannelInventory] = []
        var failures: [CommandFailure] = []
        for app in try await apps(arguments) {
            var listed: [String]?
            do throws(CommandFailure) { listed = try await list(app) } catch {
                failures.append(error)
            }
            inventories.append(
                ChannelInventory(app, known: try await all(), listed: listed))
        }
        return (inventories, failures)
    }

    func ask(
        _ request: APNsRequest, _ app: AppInEnvironment
    ) async throws(CommandFailure) -> PushResponse {
        switch await router?.manage(app, request) {
        case nil, .deferred:
            throw .failed(
                "there is no key to ask APNs about \(app.bundleID) in "
                    + "\(app.environment.rawValue): add the app with islet apps add, or give "
                    + "--apns-key-file")
        case .notAnswered(let reason, _): throw .failed("no answer from APNs: \(reason)")
        case .answered(let response): return response
        }
    }

    static func makeRequestID() -> String { UUID().uuidString.lowercased() }

    private func list(_ app: AppInEnvironment) async throws(CommandFailure) -> [String]? {
        guard let router, router.hasKey(for: app) else { return nil }
        let response = try await ask(
            .listChannels(bundleID: app.bundleID, requestID: Self.makeRequestID()), app)
        guard response.verdict == .accepted, let listed = response.channelIDs else {
            let why =
                response.verdict == .credentialsRefused
                ? ChannelInventory.remedy(app, refusedFor: response.failure) : response.failure
            throw .failed(
                "APNs does not list the channels of \(app.bundleID) in "
                    + "\(app.environment.rawValue): \(why)")
        }
        return listed
    }

    private func apps(_ arguments: Arguments) async throws(CommandFailure) -> [AppInEnvironment] {
        let only = arguments.text("environment").flatMap(APNsEnvironment.init)
        var apps = Set(try await all().map(\.app))
        if let bundleID = arguments.text("bundle-id") {
            for environment in APNsEnvironment.allCases {
                apps.insert(AppInEnvironment(bundleID: bundleID, environment: environment))
            }
        }
        return apps.filter { only == nil || $0.environment == only }.sorted {
            ($0.bundleID, $0.environment.rawValue) < ($1.bundleID, $1.environment.rawValue)
        }
    }

    private func all() async throws(CommandFailure) -> [Channel] {
        try await Database.asked(try await store.channels.all())
    }
}
