import API
import Replay

extension WhatIfSetup {
    static let live = WhatIfSetup { events, own, tried in
        let trial = ActivityTrial.run(events, own: own, tried: tried)
        return Finding(
            before: Side(alerts: trial.toldBefore.map(Told.init), pushes: trial.before.sent),
            after: Side(alerts: trial.toldAfter.map(Told.init), pushes: trial.after.sent),
            changes: [
                "added": trial.changes.added, "removed": trial.changes.removed,
                "moved": trial.changes.moved, "reworded": trial.changes.reworded,
            ], isLeftOut: trial.isLeftOut)
    }
}

extension WhatIfSetup.Told {
    fileprivate init(_ told: ActivityTrial.Told) {
        self.init(version: told.version, at: told.at, title: told.title, body: told.body)
    }
}
