import Domain
import EventStore

extension Simulation {
    /// Some seeds have a database that is set back, in the midst of it.
    static func isRestored(_ seed: UInt64) -> Bool { seed % 10 == 7 }

    /// A backup is made, more is reported, told and shown, and then everything but the phones and
    /// the followers is as it was at the backup. What apps would have said meanwhile is lost as
    /// well, and nobody could make that good: so they say nothing.
    func restore() async {
        await letAppsFinish()
        log("a backup is made")
        let backup = database.backup()
        for _ in 0..<(3 + thread.below(10)) {
            thread.pick(shops).report()
            await thread.sleep(thread.seconds(1...60))
            settle()
            follow()
        }
        isSettingBack = true
        for node in nodes { node.kill() }
        // What is under way arrives.
        await thread.sleep(30)
        settle()
        follow()
        log("the database is set back")
        database.restore(backup)
        (book.restoredAt, book.shownVersion, book.checked) = (thread.now, [:], [:])
        let known = database.look { tables in
            tables.tenants.flatMap { $0.activities.values }.flatMap { $0.activity.cards }
        }
        book.served.formIntersection(known.map(\.token.hex))
        let unfit = Set(known.filter(\.isUnfit).map(\.token.hex))
        book.unfit = book.unfit.filter { unfit.contains($0.key) }
        await accept()
        isSettingBack = false
        for place in nodes.indices { startNode(in: place) }
    }

    private func accept() async {
        await thread.sleep(thread.seconds(1...600))
        log("somebody accepts it")
        database.accept(isComplete: mutation == .sameEpoch)
        follow()
    }

    private func letAppsFinish() async {
        for _ in 0..<60 where book.unsent.values.contains(where: { !$0.isEmpty }) {
            await thread.sleep(5)
            settle()
        }
    }

    func follow() {
        for index in followers.indices { followers[index].follow(database) }
    }

    /// What the ledger of before says is gone: what counts is what stands on phones, and in copies.
    func checkRestored() {
        if let unrest { find("when all was quiet after a restore, \(unrest)") }
        follow()
        let tenants = database.look { $0.tenants }
        tenants.forEach(checkFolded)
        for person in people where !person.isGone { checkShown(person) }
        for (follower, tenant) in zip(followers, tenants) where !follower.isCopy(of: tenant) {
            find("who follows the log of \(tenant.tenant.name) has another one since the restore")
        }
    }
}
