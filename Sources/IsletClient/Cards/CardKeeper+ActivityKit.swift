#if canImport(ActivityKit) && !os(macOS)
    public import ActivityKit
    public import IsletActivities

    extension CardKeeper {
        /// Keeps up to date whatever cards of a kind there are: those that the app starts, those
        /// that a push starts, and those that are there already. Run it once from the launch on, in
        /// a task of its own: it ends with the task.
        public func followCards<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type
        ) async {
            await withTaskGroup(of: Void.self) { group in
                var followed: Set<String> = []
                for card in Activity<Attributes>.activities where followed.insert(card.id).inserted
                {
                    let (id, activity) = (card.id, card.attributes.activityID)
                    group.addTask { await self.follow(type, id, of: activity) }
                }
                for await card in Activity<Attributes>.activityUpdates
                where followed.insert(card.id).inserted {
                    let (id, activity) = (card.id, card.attributes.activityID)
                    group.addTask { await self.follow(type, id, of: activity) }
                }
            }
        }

        private func follow<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type, _ id: String, of activity: String?
        ) async {
            // A card that says nothing of its activity was started by somebody else.
            guard let activity else { return }
            // Found again in each task, since an `Activity` may not be sent to one.
            await follow(id, of: activity) {
                Activity<Attributes>.activities.first { $0.id == id }?.pushTokenUpdates
            } states: {
                Activity<Attributes>.activities.first { $0.id == id }?.activityStateUpdates
                    .map(CardState.init)
            }
        }

        /// Hands over each push-to-start token of a kind, with what the person follows.
        @available(iOS 17.2, *)
        public func followStartTokens<Attributes: ActivityAttributes & CardAttributes>(
            _ type: Attributes.Type, topics: [String]
        ) async {
            for await token in Activity<Attributes>.pushToStartTokenUpdates {
                canStart(type.kind, with: Secret(pushToken: token), topics: topics)
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

    extension CardState {
        public init(_ state: ActivityState) {
            switch state {
            case .active: self = .active
            case .stale: self = .stale
            case .ended: self = .ended
            case .dismissed: self = .dismissed
            // Such as a card that is yet to begin.
            @unknown default: self = .active
            }
        }
    }
#endif
