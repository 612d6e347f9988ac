import Postgres

/// Which hosts answer, which of them is the primary, and whether they are of one cluster.
public enum HostsCheck {
    static let check = DoctorCheck("hosts") { scene in
        .init(findings(scene.hosts), fine: summary(scene.hosts))
    }

    public static func findings(_ hosts: [SeenHost]) -> [Finding] {
        var findings: [Finding] = []
        var seen: [(name: String, facts: SeenHost.Facts)] = []
        var unseen: [String] = []
        for host in hosts {
            switch host.facts {
            case .success where host.isSeveral:
                findings.append(several(at: host.host.name))
                continue
            case .success(let facts):
                seen.append((host.host.name, facts))
                continue
            case .failure(.sharedSession):
                findings.append(PoolerCheck.finding(host: host.host.name))
            case .failure(.notAdmitted(let serverError)):
                findings.append(refusal(host.host.name, serverError))
            case .failure(let error): findings.append(silent(host.host.name, error))
            }
            unseen.append(host.host.name)
        }
        let primaries = seen.filter { !$0.facts.isStandby }
        if primaries.isEmpty, !seen.isEmpty, !hosts.contains(where: \.isSeveral) {
            findings.append(noPrimary(among: names(seen), unseen))
        }
        if primaries.count > 1, let examined = hosts.examined {
            let names = primaries.map { "\($0.name) (timeline \($0.facts.timeline))" }
                .joined(separator: ", ")
            findings.append(
                Finding(
                    what: "\(primaries.count) hosts take writes: \(names)",
                    meaning: "Nodes may record in different logs, of which only one will live. "
                        + "What follows is about \(hosts[examined].host.name) alone.",
                    remedy: "stop all of them (pg_ctl stop) but the one with the newest timeline, "
                        + "which nodes go by, and make the others standbys again with pg_rewind or "
                        + "pg_basebackup; docs/runbooks/IsletTwoPrimaries.md says more, also of "
                        + "equal timelines"))
        }
        if primaries.count == 1 { findings += lost(seen, behind: primaries[0].facts) }
        if Set(seen.map(\.facts.systemIdentifier)).count > 1 {
            findings.append(
                Finding(
                    what: "\(names(seen)) are not of one cluster",
                    meaning: "A failover would lead to another database.",
                    remedy: "name only a primary and its own standbys in --database-url"))
        }
        if let different = Self.differentVersions(seen) { findings.append(different) }
        for (name, facts) in seen where facts.version < versionMin {
            findings.append(
                Finding(
                    what: "\(name) is Postgres \(facts.version / 10_000)",
                    meaning: "Islet is made for Postgres 15 and newer.",
                    remedy: "upgrade it with pg_upgrade"))
        }
        return findings
    }

    /// Whether one of them takes writes; without any, it is not known that none does.
    static func haveWritable(_ hosts: [SeenHost]) -> Bool {
        hosts.isEmpty || hosts.contains { (try? $0.facts.get())?.isStandby == false }
    }

    private static let versionMin: Int32 = 150_000

    private static func several(at name: String) -> Finding {
        Finding(
            what: "several servers are behind \(name): one session led to the primary, and "
                + "another one to a standby",
            meaning: "Calls fail as often as they come to a standby, and nothing else can be said "
                + "of the database.",
            remedy: "have what stands before them lead to the primary alone; or name the servers "
                + "themselves in --database-url, with target_session_attrs=read-write")
    }

    /// A host that could not be asked may be a primary that lives: to promote another one beside it
    /// makes two logs.
    private static func noPrimary(among standbys: String, _ unseen: [String]) -> Finding {
        let others = unseen.joined(separator: ", ")
        guard unseen.isEmpty else {
            return Finding(
                what: "no host that lets us in takes writes: \(standbys) only follow",
                meaning: "\(others) may be the primary. While nobody can connect to it, nothing is "
                    + "recorded, folded or sent.",
                remedy: "see to \(others) first, as said above, and promote nothing before the "
                    + "other hosts are known to be stopped. If Patroni looks after Postgres, "
                    + "patronictl list says which host leads; if it hangs, see to etcd first")
        }
        return Finding(
            what: "no host takes writes: \(standbys) only follow",
            meaning: "Nothing is recorded, folded or sent before there is a primary.",
            remedy: "if Patroni or another manager looks after Postgres: patronictl list, then "
                + "patronictl failover; promote nothing by hand, and if list hangs, see to etcd "
                + "first. Without a manager, if there is no primary elsewhere: promote the "
                + "standby that is furthest, psql -c 'SELECT pg_promote()'")
    }

    /// One that reads an archive instead is a segment behind, or two.
    private static let missingBytesMin: Int64 = 48 << 20

    /// Standbys that run and get nothing from the primary.
    private static func lost(
        _ seen: [(name: String, facts: SeenHost.Facts)], behind primary: SeenHost.Facts
    ) -> [Finding] {
        seen.compactMap { name, facts in
            let missing = primary.logBytes - facts.logBytes
            guard facts.isStandby, !facts.isFollowing, missing >= missingBytesMin,
                facts.systemIdentifier == primary.systemIdentifier
            else { return nil }
            return Finding(
                what: "\(name) is a standby that runs and does not follow: it lacks "
                    + "\(missing >> 20) MB of WAL",
                meaning: "There is one less to take over, and if commits wait for it, none ends.",
                remedy: "its Postgres' log says why. If that is 'requested WAL segment … has "
                    + "already been removed', it has to be copied again: patronictl reinit, or "
                    + "without Patroni pg_basebackup into an empty directory")
        }
    }

    /// A standby with an older minor version may lack a repair that the primary has.
    private static func differentVersions(
        _ seen: [(name: String, facts: SeenHost.Facts)]
    ) -> Finding? {
        guard Set(seen.map(\.facts.version)).count > 1 else { return nil }
        let versions = seen.map {
            "\($0.name) \($0.facts.version / 10_000).\($0.facts.version % 10_000)"
        }
        let names = versions.joined(separator: ", ")
        return Finding(
            what: "the hosts have different versions of Postgres: \(names)",
            meaning: "After a failover the database is another version than before.",
            remedy:
                "apt-get install --only-upgrade postgresql on each, standbys first, and restart "
                + "it")
    }

    private static func silent(_ name: String, _ error: PostgresError) -> Finding {
        let why =
            switch error {
            case .cannotConnect(let detail), .connectionLost(let detail): detail
            case .server(let serverError): "\(serverError.sqlState) \(serverError.message)"
            default: "no answer in \(Limits.doctorSecondsMax) s"
            }
        return Finding(
            what: "\(name) does not answer: \(why)",
            meaning: "If it is the primary nothing works; if it is a standby there is one less to "
                + "take over.",
            remedy: "start it or let this machine in (pg_hba.conf), or take it out of "
                + "--database-url")
    }

    private static func refusal(_ name: String, _ serverError: ServerError) -> Finding {
        Finding(
            what: "\(name) lets nobody in: \(serverError.sqlState) \(serverError.message)",
            meaning: "It runs, but neither nodes nor commands can connect as they do here.",
            remedy: remedy(of: serverError.sqlState))
    }

    private static func remedy(of state: String) -> String {
        switch state {
        case SQLState.tooManyConnections:
            "an administrator can still log in: \(FleetConnections.whose) shows whose sessions "
                + "they are; end those that are not needed. If they are Islet's, let each node "
                + "open fewer (--database-connections-max, --delivery-connections-max, "
                + "--visitor-connections-max), or raise the limit that the message names: "
                + "max_connections, or CONNECTION LIMIT of the role or the database"
        case SQLState.invalidPassword:
            "give the password of the user in --database-url, or in PGPASSFILE"
        case "28000":
            "check the user in --database-url, and let it in from this machine in pg_hba.conf"
        case "3D000": "check the name of the database in --database-url, or make it: createdb"
        case "57P03":
            "wait until it has started or recovered; the log of Postgres says how far it is"
        case "XX000", SQLState.diskFull:
            "make room if its disk is full; the log of Postgres says more (of a private one, "
                + "server.log in --data-dir)"
        default: "check --database-url; the log of Postgres says more"
        }
    }

    private static func names(_ hosts: [(name: String, facts: SeenHost.Facts)]) -> String {
        hosts.map(\.name).joined(separator: ", ")
    }

    private static func summary(_ hosts: [SeenHost]) -> String {
        hosts.compactMap { host in
            guard case .success(let facts) = host.facts else { return nil }
            return "\(host.host.name) is \(facts.isStandby ? "a standby" : "the primary")"
        }.joined(separator: ", ")
    }
}
