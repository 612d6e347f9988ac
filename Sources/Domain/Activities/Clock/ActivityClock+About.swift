extension ActivityClock.Event {
    var about: String {
        switch self {
        case .wentStale:
            """
            No report came until the time that the kind's policy had set. The phone marks its card \
            by itself at that time, so nothing is sent. The next report makes the activity fresh \
            again.
            """
        case .promiseBroken:
            """
            What is to come (at `promisedAt` of a pizza, at the newest estimate of a coffee) has \
            not come for one, two, four … times the policy's `overdueStepSeconds`, and the \
            activity is stale: nobody reports anything. Phones are alerted that there is no news \
            (rule `overdue`), once for each step.
            """
        case .endGracePassed:
            """
            Phones were alerted of an end, and for the policy's `endGraceSeconds` nothing has \
            changed what phones show. The card ends (rule `endGrace`) without a word.
            """
        case .quietHoursEnded:
            """
            The policy's quiet hours are over, they had kept an alert back, and nothing has been \
            reported since. Alerts that are still true are sent now.
            """
        case .restartDue:
            """
            The eight hours are over soon, and the policy's `restartBeforeLimitSeconds` wants \
            fresh cards before (rule `restart`). The eight hours count again from its recording. \
            It comes again if something was reported since.
            """
        case .timeLimitReached:
            """
            Eight hours are over, which is the longest that ActivityKit lets a Live Activity run. \
            They are counted from when the activity went live, from its last restart, or from its \
            planned start while it is only scheduled. The activity ends: a last push without words \
            is sent, its card leaves the Lock Screen 15 minutes later, and reports that come after \
            it correct the record.
            """
        case .dismissed:
            """
            The ended card has left the Lock Screen, four hours after the end at the latest. \
            Nothing can come after it but corrections of the record.
            """
        }
    }
}
