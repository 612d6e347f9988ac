import Domain
import Postgres

/// What a request reads and writes.
struct CardQueries {
    struct Chosen {
        var named: CardRow?
        var former: CardRow?
        var listener: ListenerRow?
        var tokens = 0
        var lastClosing: Closing?

        var cards: Cards {
            Cards(
                named: named?.state, former: former?.state, listener: listener?.state,
                tokens: tokens, lastClosing: lastClosing)
        }
    }

    var tenant: TenantID
    var activity: ActivityID
    var request: CardRequest

    /// $1 tenant, $2 activity, $3 tokens, $4 installation; without it that of the token $5 counts.
    /// Each by its own index, and token by token: with an `OR` or an `ANY`, Postgres looks through
    /// all phones of the activity, which it takes to be as few as most activities have.
    static let find = """
        SELECT one.* FROM unnest($3::text[]) AS wanted (token) CROSS JOIN LATERAL (
            SELECT \(found) AND r.push_token = wanted.token OFFSET 0
        ) one
        UNION
        SELECT one.* FROM (
            SELECT coalesce($4, (
                SELECT t.installation FROM registration t
                WHERE t.tenant = $1 AND t.activity_id = $2 AND t.push_token = $5
            )) AS installation OFFSET 0
        ) phone CROSS JOIN LATERAL (
            SELECT \(found) AND r.installation = phone.installation OFFSET 0
        ) one
        ORDER BY id
        """

    private static let found = """
        r.id, r.push_token, r.token_version, r.installation, r.closed_by, r.reported,
            r.has_successor
        FROM registration r WHERE r.tenant = $1 AND r.activity_id = $2
        """

    /// Cards, listeners, and cards that were started.
    var finding: [Statement] {
        let (tokens, installation, known): ([PushToken], String?, PushToken?) =
            switch request {
            case .register(let wish): ([wish.token], wish.installation, wish.token)
            case .rotate(let from, let to): ([from, to], nil, from)
            case .report(.token(let token), _), .remove(let token): ([token], nil, nil)
            case .report(.installation(let installation, _), _), .listen(let installation, _):
                ([], installation, nil)
            }
        let place: [Parameter] = [.tenant(tenant), .activity(activity)]
        let (name, phone) = (Parameter.text(installation), Parameter.text(known?.hex))
        var statements = [
            Statement(Self.find, place + [.texts(tokens.map(\.hex)), name, phone])
        ]
        switch request {
        case .register, .listen:
            statements.append(Statement(ListenerRow.find, place + [name, phone]))
        case .report(.installation, _):
            statements += [
                Statement(ListenerRow.find, place + [name, phone]),
                Statement(ListenerRow.findStarted, place + [name]),
            ]
        case .rotate, .report(.token, _), .remove: break
        }
        return statements
    }

    /// - Parameter found: of `finding`.
    func choose(from found: [Rows]) throws(PostgresError) -> Chosen {
        let rows = try found[0].decoded(CardRow.init)
        var listeners: [ListenerRow] = []
        for rows in found.dropFirst() { listeners += try rows.decoded(ListenerRow.init) }
        let (named, former) = choose(from: rows)
        let listener: ListenerRow?
        switch request {
        case .register(let wish):
            listener = listeners.first { $0.bundleID.hasBytes(of: wish.bundleID) }
        case .listen(_, let app):
            listener = listeners.first { $0.bundleID.hasBytes(of: app.bundleID) }
        case .rotate, .report, .remove:
            let asked = listeners.filter { !$0.isStarted }
            let reporting = asked.last { $0.state.closing == nil } ?? asked.last
            // Of a card that has registered or asked more is known than that it was started.
            listener = reporting ?? (rows.isEmpty ? listeners.last : nil)
        }
        return Chosen(
            named: named, former: former, listener: listener, tokens: rows.count,
            lastClosing: lastClosing(of: rows))
    }

    /// - Parameter rows: by id.
    private func lastClosing(of rows: [CardRow]) -> Closing? {
        guard case .register(let wish) = request else { return nil }
        return Cards.lastClosing(
            of: rows.filter { $0.token != wish.token.hex }.map(\.state))
    }

    /// - Parameter rows: by id.
    private func choose(from rows: [CardRow]) -> (named: CardRow?, former: CardRow?) {
        func row(_ token: PushToken) -> CardRow? { rows.first { $0.token == token.hex } }
        switch request {
        case .register(let wish):
            let others = rows.filter { $0.token != wish.token.hex }
            return (
                row(wish.token),
                others.first { $0.state.closing == .dismissed }
                    ?? others.first { $0.state.closing == nil }
            )
        case .rotate(let from, let to): return (row(to), row(from))
        case .report(.token(let token), _), .remove(let token): return (row(token), nil)
        case .report(.installation, _):
            return (rows.last { $0.state.closing == nil } ?? rows.last, nil)
        case .listen:
            return (
                rows.first { $0.state.closing == .dismissed }
                    ?? rows.last { $0.state.closing == nil } ?? rows.last, nil
            )
        }
    }

    /// Nil when there is nothing to write. It returns one row when it has written everything, and
    /// none when a row is not as it was read.
    func write(_ change: CardChange, _ rows: Chosen) -> Statement? {
        let named = change.named.map { $0 != rows.named?.state } == true ? change.named : nil
        let former = rows.former.flatMap { row in change.former.map { (row, $0) } }
        let listener = listening(change, rows.listener)
        guard named != nil || former != nil || listener != nil || change.owesNewest else {
            return nil
        }
        let kept = [rows.named, rows.former].compactMap { $0 }
        var parameters: [Parameter] = [
            .tenant(tenant), .activity(activity), .int8s(kept.map(\.id)),
            .int4s(kept.map { Int32(clamping: $0.state.tokenVersion) }),
            .texts(kept.map { $0.state.closing?.rawValue ?? "" }),
            .int8(former?.0.id), .text(former?.1.closing?.rawValue),
        ]
        parameters += listener ?? [.text(nil), .text(nil), .text(nil), .text(nil), .text(nil)]
        parameters += [
            .bools(kept.map(\.state.hasSuccessor)), .bool(former?.1.hasSuccessor == true),
        ]
        guard let named else { return Statement(Self.closeOthers, parameters) }
        parameters += [
            .int4(Int32(clamping: named.tokenVersion)), .text(named.installation),
            .text(named.closing?.rawValue), .text(named.reported?.rawValue),
            .bool(change.owesNewest), .bool(named.hasSuccessor),
        ]
        if let row = rows.named {
            parameters.append(.int8(row.id))
            guard let wish else { return Statement(Self.update, parameters) }
            return Statement(Self.updateWished, parameters + wishParameters(wish))
        }
        guard let wish else {
            // A rotation: the phone is the same, and so is what it is owed.
            return Statement(
                Self.insertRotated, parameters + [.int8(rows.former?.id), .text(newToken)])
        }
        return Statement(
            Self.insertWished,
            parameters + [.int8(former?.0.id), .text(wish.token.hex)] + wishParameters(wish))
    }

    /// Nil when nothing is to be written about who listens.
    private func listening(_ change: CardChange, _ row: ListenerRow?) -> [Parameter]? {
        guard let state = change.listener else { return nil }
        var (bundleID, environment) = (row?.bundleID, row?.environment)
        switch request {
        case .listen(_, let app):
            (bundleID, environment) = (app.bundleID, app.environment.rawValue)
        case .report(.installation(_, let reported), _): bundleID = bundleID ?? reported
        case .register, .rotate, .report(.token, _), .remove: break
        }
        let isKnown = row.map {
            $0.state.closing == state.closing && $0.environment == environment
        }
        guard let bundleID, isKnown != true else { return nil }
        let before = row.flatMap { $0.isStarted ? nil : $0.state.closing?.rawValue ?? "" }
        return [
            .text(bundleID), .text(environment), .text(state.installation),
            .text(state.closing?.rawValue), .text(before),
        ]
    }

    private var wish: CardWish? {
        if case .register(let wish) = request { wish } else { nil }
    }

    private var newToken: String? {
        if case .rotate(_, let to) = request { to.hex } else { nil }
    }

    private func wishParameters(_ wish: CardWish) -> [Parameter] {
        [
            .text(wish.environment.rawValue), .text(wish.bundleID), .text(wish.locale),
            .bool(wish.frequentUpdates), .text(wish.appBuild),
            .int2(wish.osMajor.map { Int16(clamping: $0) }),
        ]
    }
}

extension CardQueries {
    /// Locks the rows that were read, if they are as they were, writes who listens, and closes the
    /// former card. $1 tenant, $2 activity; $3 ids, $4 token versions, $5 closings and $13 whether
    /// they have successors, as read; $6 id and $7 new closing of the former card, and $14 whether
    /// it has a successor now; $8 to $12 of `ListenerRow.write`. The activity is left out where
    /// there are ids: where most activities have few phones, Postgres would look through all phones
    /// of one that has many.
    private static let closing = """
        WITH locked AS MATERIALIZED (
            SELECT r.id FROM registration r
            WHERE r.tenant = $1 AND r.id = ANY ($3::int8[])
                AND (r.id, r.token_version, coalesce(r.closed_by, ''), r.has_successor) IN (
                    SELECT * FROM unnest($3::int8[], $4::int4[], $5::text[], $13::bool[])
                )
            ORDER BY r.id FOR UPDATE
        ), kept AS MATERIALIZED (
            SELECT FROM locked HAVING count(*) = cardinality($3::int8[])
        ), \(ListenerRow.write), sound AS MATERIALIZED (
            SELECT FROM kept WHERE $8::text IS NULL OR EXISTS (SELECT FROM heard)
        ), former AS (
            UPDATE registration r SET closed_at = coalesce(r.closed_at, clock_timestamp()),
                closed_by = $7, has_successor = r.has_successor OR $14::bool,
                retry_at = NULL, sent_version = \(deliveredVersion("r")),
                accepted_at = \(acceptedAt("r"))
            FROM sound WHERE r.tenant = $1 AND r.id = $6
            RETURNING r.id
        )
        """

    /// That the former card is closed comes first: an installation has one card at a time.
    private static let isReady = """
        EXISTS (SELECT FROM sound) AND ($6::int8 IS NULL OR EXISTS (SELECT FROM former))
        """

    private static let closeOthers = """
        \(closing) SELECT (SELECT id FROM former) WHERE \(isReady)
        """

    /// $15 token version, $16 installation, $17 closing, $18 report, $19 whether it is owed the
    /// newest state, $20 whether it has a successor, $21 id. Only a rotation closes a former card.
    private static let update = """
        \(closing) \(updating),
            rotated_from = coalesce($6::int8, r.rotated_from)\(updatingEnd)
        """

    /// Further $22 environment, $23 bundle id, $24 locale, $25 frequent, $26 build, $27 system.
    private static let updateWished = """
        \(closing) \(updating), environment = $22, bundle_id = $23, locale = $24, frequent = $25,
            app_build = $26, os_major = $27, registered_at = clock_timestamp(),
            is_proven = r.is_proven AND r.environment = $22 AND r.bundle_id = $23\(updatingEnd)
        """

    private static let updating = """
        UPDATE registration r SET token_version = $15, sent_version = \(deliveredVersion("r")),
            accepted_at = \(acceptedAt("r")),
            installation = $16, closed_by = $17, has_successor = $20::bool,
            closed_at = CASE WHEN $17::text IS NULL THEN NULL
                ELSE coalesce(r.closed_at, clock_timestamp()) END,
            reported_at = CASE WHEN $18::text IS NULL THEN NULL ELSE clock_timestamp() END,
            reported = $18,
            retry_at = CASE WHEN $17::text IS NOT NULL THEN NULL
                WHEN $19::bool THEN 'epoch' ELSE r.retry_at END,
            missed_from = CASE WHEN $19::bool AND r.attempts > 0
                THEN coalesce(r.missed_from, \(PhonesBehind.versionHad)) ELSE r.missed_from END,
            attempts = CASE WHEN $19::bool THEN 0 ELSE r.attempts END,
            last_failure = CASE WHEN $19::bool THEN NULL ELSE r.last_failure END,
            dead_at = CASE WHEN $19::bool THEN NULL ELSE r.dead_at END,
            is_unfit = r.is_unfit AND NOT $19::bool,
            given_up_at = CASE WHEN $19::bool THEN NULL ELSE r.given_up_at END
        """

    private static let updatingEnd = """
         WHERE r.tenant = $1 AND r.id = $21 AND \(isReady)
        RETURNING r.id
        """

    private static let opened = """
        $15, $16, $17,
        CASE WHEN $17::text IS NULL THEN NULL::timestamptz ELSE clock_timestamp() END,
        $18, CASE WHEN $18::text IS NULL THEN NULL::timestamptz ELSE clock_timestamp() END,
        CASE WHEN $19::bool AND $17::text IS NULL THEN timestamptz 'epoch' END, $20::bool
        """

    private static let inserting = """
        \(closing)
        INSERT INTO registration (
            tenant, activity_id, push_token, token_version, installation, closed_by, closed_at,
            reported, reported_at, retry_at, has_successor, environment, bundle_id, locale,
            frequent, app_build, os_major, sent_version, accepted_at, attempts, caught_up_from,
            caught_up_to, missed_from, registered_at, rotated_from
        )
        """

    /// When APNs accepted what `deliveredVersion` gives, if that came by a push of the phone's own.
    /// Most phones had none, and nothing more is looked for then.
    private static func acceptedAt(_ alias: String) -> String {
        """
        CASE WHEN \(alias).accepted_at IS NOT NULL
                AND \(deliveredVersion(alias)) <= \(alias).sent_version
            THEN \(alias).accepted_at END
        """
    }

    /// Version of the newest decision that the phone of `alias` has been sent, a closed one until
    /// it was closed. Of one that is up to date it need not be written down: the fan-out says so
    /// while it is under way, then the ledger.
    static func deliveredVersion(_ alias: String) -> String {
        """
        CASE WHEN \(alias).attempts > 0 OR \(alias).retry_at IS NOT NULL
                OR \(alias).closed_at IS NOT NULL
            THEN \(alias).sent_version
            ELSE greatest(\(alias).sent_version, (
                SELECT s.round_version FROM delivery_state s
                WHERE s.tenant = \(alias).tenant AND s.activity_id = \(alias).activity_id
                    AND \(alias).id <= s.round_cursor
            ), (
                SELECT d.version FROM decision d
                WHERE d.tenant = \(alias).tenant AND d.activity_id = \(alias).activity_id
                    AND d.settled_at IS NOT NULL AND d.verdict <> 'hold'
                ORDER BY d.version DESC LIMIT 1
            )) END
        """
    }

    /// $21 id of the card whose debts the new one takes over, $22 token.
    private static let insertRotated = """
        \(inserting)
        SELECT $1, $2, $22, \(opened), o.environment, o.bundle_id, o.locale,
            o.frequent, o.app_build, o.os_major, \(deliveredVersion("o")), \(acceptedAt("o")),
            o.attempts, o.caught_up_from, o.caught_up_to, o.missed_from, o.registered_at, o.id
        FROM registration o
        WHERE o.tenant = $1 AND o.id = $21 AND \(isReady)
        RETURNING id
        """

    /// $21 id of the card whose debts the new one takes over or null, $22 token, then $23 to $28 as
    /// above from $22 on.
    private static let insertWished = """
        \(inserting)
        SELECT $1, $2, $22, \(opened), $23, $24, $25, $26, $27, $28,
            coalesce(\(deliveredVersion("o")), 0), \(acceptedAt("o")), coalesce(o.attempts, 0),
            o.caught_up_from, o.caught_up_to, o.missed_from,
            coalesce(o.registered_at, clock_timestamp()), NULL::int8
        FROM (SELECT) one LEFT JOIN registration o ON o.tenant = $1 AND o.id = $21
        WHERE \(isReady)
        RETURNING id
        """
}
