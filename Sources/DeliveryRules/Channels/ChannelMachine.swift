public import APNs
public import Domain

/// The rules of a channel's life: what is to be done with one, and what APNs' answers make of it.
public enum ChannelMachine {
    /// What a sender does with a channel next.
    public enum Step: Hashable, Sendable {
        /// Note the intent, then ask APNs for it.
        case create
        /// The node that asked for it is gone, and nobody knows whether APNs made one. Ask for
        /// another; the sweep finds what may have been made.
        case createAgain
        case delete
        /// It is needed no more, and there is nothing to delete.
        case withdraw
        case leave
    }

    /// The next step for a channel, from its state and its activity's.
    public static func step(_ task: ChannelTask) -> Step {
        switch (task.channel.state, task.activity) {
        case (.wanted, .live): return .create
        case (.creating, .live): return .createAgain
        case (.wanted, .ended), (.creating, .ended): return .withdraw
        case (.wanted, .unknown): return isIdle(task) ? .withdraw : .create
        case (.creating, .unknown): return isIdle(task) ? .withdraw : .createAgain
        case (.open, .live): return .leave
        case (.open, .ended(let cardGoneAt)):
            let over = cardGoneAt.adding(seconds: Limits.channelRestSeconds)
            return over <= task.takenAt ? .delete : .leave
        case (.open, .unknown): return isIdle(task) ? .delete : .leave
        case (.lost, _), (.deleted, _), (.withdrawn, _): return .leave
        }
    }

    /// Whether nobody has named the channel's activity for long.
    private static func isIdle(_ task: ChannelTask) -> Bool {
        task.takenAt.seconds(since: task.channel.wantedAt) >= Limits.idleChannelSecondsMax
    }

    /// Whether it is about to be made, and soon: one that APNs has refused once, or has not
    /// answered for long, is not worth waiting for.
    public static func isAwaited(_ channel: Channel, at now: Moment) -> Bool {
        let asked: Int
        switch channel.state {
        case .wanted: asked = 0
        case .creating: asked = 1
        case .open, .lost, .deleted, .withdrawn: return false
        }
        return channel.attempts <= asked
            && now.seconds(since: channel.wantedAt) < Limits.channelAwaitedSecondsMax
    }

    /// What a channel becomes before APNs is asked for it.
    public static func intent(_ channel: Channel) -> ChannelChange {
        ChannelChange(.creating, attempts: channel.attempts + 1, failure: channel.lastFailure)
    }

    /// What a channel becomes whose app has no key to ask APNs with. It is asked for at once when
    /// there is one; and as phones do that wait for their app, it has not failed.
    public static func unasked(
        _ channel: Channel, _ suspension: AppSuspension, now: Moment
    ) -> ChannelChange {
        ChannelChange(
            .wanted, attempts: max(channel.attempts, 1), retryAt: later(now),
            failure: suspension.rawValue)
    }

    /// Without an answer one may have been made that nobody knows.
    /// - Parameter channel: as it was noted before APNs was asked.
    public static func created(
        _ channel: Channel, _ result: PushResult, now: Moment
    ) -> ChannelChange {
        guard case .answered(let response) = result else {
            return wanted(channel, result.failure, soon(channel, now))
        }
        switch response.verdict {
        case .accepted:
            guard let id = response.channelID, !id.isEmpty else {
                return wanted(channel, "no apns-channel-id", later(now))
            }
            return ChannelChange(.open, channelID: id)
        case .retryLater, .connectionUnfit:
            return wanted(channel, response.failure, soon(channel, now))
        case .limitReached, .featureDisabled, .credentialsRefused, .requestRefused, .channelGone,
            .tokenDead, .tokenUnfit:
            return wanted(channel, response.failure, later(now))
        }
    }

    /// - Returns: nil when the channel may still be there: it is deleted at the next look.
    public static func deleted(_ result: PushResult) -> ChannelChange? {
        guard case .answered(let response) = result else { return nil }
        switch response.verdict {
        // Deleted by a node that died before noting it, or with all others of its app.
        case .accepted, .channelGone, .featureDisabled: return ChannelChange(.deleted)
        case .retryLater, .connectionUnfit, .limitReached, .credentialsRefused, .requestRefused,
            .tokenDead, .tokenUnfit:
            return nil
        }
    }

    /// Without an answer the message may be out, and repeating it does no harm.
    /// - Parameter version: of the newest decision that the broadcast carried out.
    public static func sent(
        _ channel: Channel, _ result: PushResult, version: Int64, now: Moment
    ) -> BroadcastResult {
        guard case .answered(let response) = result else {
            return .retry(at: soon(channel, now), reason: result.failure)
        }
        switch response.verdict {
        case .accepted: return .accepted(version: version)
        case .retryLater, .connectionUnfit:
            return .retry(at: soon(channel, now), reason: response.failure)
        case .credentialsRefused:
            return .retry(
                at: now.adding(seconds: Limits.refusedKeyRetrySeconds), reason: response.failure)
        case .channelGone: return .lost(reason: response.failure)
        case .featureDisabled: return .allLost(reason: response.failure)
        case .requestRefused, .limitReached, .tokenDead, .tokenUnfit:
            return .refused(reason: response.failure)
        }
    }

    /// What is wanted in place of channels that APNs has deleted because their app may not
    /// broadcast any more. APNs need not be asked whether it makes them: it has just said so.
    public static func wantedAgain(_ reason: String, now: Moment) -> ChannelChange {
        ChannelChange(.wanted, attempts: 1, retryAt: later(now), failure: reason)
    }

    private static func wanted(
        _ channel: Channel, _ failure: String, _ retryAt: Moment
    ) -> ChannelChange {
        ChannelChange(
            .wanted, attempts: channel.attempts, retryAt: retryAt, failure: failure)
    }

    /// Doubled with each further failure.
    private static func soon(_ channel: Channel, _ now: Moment) -> Moment {
        now.adding(seconds: RetryDelay.seconds(attempts: channel.attempts))
    }

    /// Only a person can help, or the sweep.
    private static func later(_ now: Moment) -> Moment {
        now.adding(seconds: Limits.channelRefusedRetrySeconds)
    }
}
