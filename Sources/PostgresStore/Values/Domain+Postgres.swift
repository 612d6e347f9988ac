import Domain
import Foundation
import Postgres

extension Moment {
    init(_ timestamp: Timestamp) { self.init(microseconds: timestamp.unixMicroseconds) }

    var timestamp: Timestamp { Timestamp(unixMicroseconds: microseconds) }
}

extension Parameter {
    static func tenant(_ tenant: TenantID) -> Parameter { .int4(tenant.rawValue) }

    static func activity(_ activity: ActivityID) -> Parameter { .text(activity.rawValue) }

    static func moment(_ moment: Moment?) -> Parameter { .timestamp(moment?.timestamp) }

    static func count(_ count: Int) -> Parameter { .int8(Int64(count)) }

    /// A tenant, and the first and the last position of a stretch of its log.
    static func stretch(_ tenant: TenantID, _ positions: ClosedRange<Int64>) -> [Parameter] {
        [.tenant(tenant), .int8(positions.lowerBound), .int8(positions.upperBound)]
    }
}

extension Row {
    func tenant(_ column: Int) throws(PostgresError) -> TenantID {
        TenantID(rawValue: try int4(column))
    }

    func activity(_ column: Int) throws(PostgresError) -> ActivityID {
        ActivityID(rawValue: try text(column))
    }

    func moment(_ column: Int) throws(PostgresError) -> Moment { Moment(try timestamp(column)) }

    /// How long something lasts; no more than anything can, whatever times rows were given by hand.
    func seconds(_ column: Int) throws(PostgresError) -> Double {
        min(1e12, max(0, try get(column, as: Double.self)))
    }

    func optionalMoment(_ column: Int) throws(PostgresError) -> Moment? {
        isNull(column) ? nil : try moment(column)
    }

    /// A string that must be one of an enum's raw values.
    func choice<E: RawRepresentable<String>>(
        _ column: Int, as type: E.Type = E.self
    ) throws(PostgresError) -> E {
        guard let value = E(rawValue: try text(column)) else {
            throw .decoding(column: "\(column)", expected: "one of \(type)")
        }
        return value
    }

    func optionalChoice<E: RawRepresentable<String>>(
        _ column: Int
    ) throws(PostgresError) -> E? {
        isNull(column) ? nil : try choice(column, as: E.self)
    }
}

extension Rows {
    func decoded<T>(_ decode: (Row) throws(PostgresError) -> T) throws(PostgresError) -> [T] {
        try map(decode)
    }
}
