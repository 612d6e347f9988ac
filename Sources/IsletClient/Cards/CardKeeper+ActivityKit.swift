#if canImport(ActivityKit) && !os(macOS)
    public import ActivityKit
    import Dispatch
    import Foundation
    public import IsletActivities

    extension CardKeeper {
        /// Keeps up to date whatever cards of a kind there are: those that the app starts, those
        /// that a push starts, and those that are there already. Run it once from the launch on, in
        /// a task of its own: it ends with the task.
        ///
        /// Of several cards of one activity it leaves the one that came last: an app may start a
        /// card while a push for the same one is under way, and only the last one is sent updates.
        public func followCards<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type
        ) async {
            let (found, sink) = AsyncStream<FoundCard>.makeStream()
            let shown = ShownKind {
                Set(
                    Activity<Attributes>.activities.filter { $0.attributes.activityID != nil }
                        .map { $0.id })
            } end: { names in
                for id in names { await Self.end(type, id) }
            } follow: {
                for card in Activity<Attributes>.activities {
                    sink.yield(FoundCard(card, isNewest: false))
                }
            }
            shows(type.kind, shown)
            for activity in Set(
                Activity<Attributes>.activities.compactMap { $0.attributes.activityID })
            {
                await endOthers(type, of: activity, but: nil)
            }
            shown.follow()
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await card in Activity<Attributes>.activityUpdates {
                        sink.yield(FoundCard(card, isNewest: true))
                    }
                }
                var followed: Set<String> = []
                for await card in found where followed.insert(card.id).inserted {
                    if let activity = card.activity {
                        await endOthers(type, of: activity, but: card.isNewest ? card.id : nil)
                    }
                    group.addTask { await self.follow(type, card.id, of: card.activity) }
                }
            }
        }

        /// As much of an `Activity` as may be sent to another task.
        private struct FoundCard: Sendable {
            let id: String
            let activity: String?
            /// It has just come.
            let isNewest: Bool

            init<Attributes: ActivityAttributes & CardAttributes>(
                _ card: Activity<Attributes>, isNewest: Bool
            ) {
                (id, activity) = (card.id, card.attributes.activityID)
                self.isNewest = isNewest
            }
        }

        /// - Parameter newest: nil when the keeper has to find out.
        private func endOthers<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type, of activity: String, but newest: String?
        ) async {
            let ids = Activity<Attributes>.activities.filter { card in
                card.attributes.activityID == activity
                    && (card.activityState == .active || card.activityState == .stale)
            }.map { $0.id }
            for id in willEndOthers(among: ids, of: activity, but: newest) {
                await Self.end(type, id)
            }
        }

        private static func end<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type, _ id: String
        ) async {
            for card in Activity<Attributes>.activities where card.id == id {
                await card.end(nil, dismissalPolicy: .immediate)
            }
        }

        private func follow<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type, _ id: String, of activity: String?
        ) async {
            // A card that says nothing of its activity was started by somebody else.
            guard let activity else { return }
            if let shown = Activity<Attributes>.activities.first(where: { $0.id == id }) {
                card(id, of: activity, became: CardState(shown.activityState))
                // The sequence may begin with the next one.
                if let token = shown.pushToken {
                    card(id, of: activity, hasToken: Secret(pushToken: token))
                }
            }
            // Found again in each task, since an `Activity` may not be sent to one.
            await follow(id, of: activity) {
                Activity<Attributes>.activities.first { $0.id == id }?.pushTokenUpdates
            } states: {
                Activity<Attributes>.activities.first { $0.id == id }?.activityStateUpdates
                    .map(CardState.init)
            }
        }

        /// Hands over each push-to-start token of a kind, with what the person follows. After a
        /// sign-out run it once more, with what the next person follows.
        @available(iOS 17.2, *)
        public func followStartTokens<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type, topics: [String]
        ) async {
            await followStartTokens(type.kind, topics: topics) {
                Activity<Attributes>.pushToStartToken
            } tokens: {
                Activity<Attributes>.pushToStartTokenUpdates
            }
        }

        /// Tells when the person allows frequent updates or forbids them.
        public func followFrequentUpdates() async {
            let authorization = ActivityAuthorizationInfo()
            setFrequentUpdates(authorization.frequentPushesEnabled)
            for await areAllowed in authorization.frequentPushEnablementUpdates {
                setFrequentUpdates(areAllowed)
            }
        }
    }

    /// Time that iOS gives the app in the background, before which it does not suspend it. An
    /// extension may ask for it too.
    // @unchecked: the semaphore is there for several threads, and nothing else is in it.
    final class BackgroundTime: @unchecked Sendable {
        private let isOver = DispatchSemaphore(value: 0)

        /// - Returns: what ends it.
        static func begin() -> @Sendable () -> Void {
            let time = BackgroundTime()
            // It lasts as long as the block does, which has a thread of its own. When it runs out,
            // iOS calls the block once more meanwhile, and wants the first one to return.
            ProcessInfo.processInfo.performExpiringActivity(withReason: "Islet hears of a card") {
                hasExpired in
                if hasExpired { time.end() } else { time.isOver.wait() }
            }
            return { time.end() }
        }

        private func end() { isOver.signal() }
    }

    extension CardState {
        public init(_ state: ActivityState) {
            switch state {
            case .pending: self = .pending
            case .active: self = .active
            case .stale: self = .stale
            case .ended: self = .ended
            case .dismissed: self = .dismissed
            @unknown default: self = .active
            }
        }
    }
#endif
