import Foundation
import Postgres
import TestSupport
import Testing

struct `A row` {
    private func row(_ sql: String, _ parameters: [Parameter] = []) async throws -> Row {
        let pool = try await TestDatabase.makeEmpty().pool
        return try #require(try await pool.query(sql, parameters).first)
    }

    private func decoding(_ column: String, _ expected: String) -> PostgresError {
        .decoding(column: column, expected: expected)
    }

    @Test func `gives numbers of any width as the widest`() async throws {
        let row = try await row(
            "SELECT 2::int2 AS two, 4::int4 AS four, 8::int8 AS eight, NULL::int8 AS none")
        #expect(try (0..<3).map { try row.int8($0) } == [2, 4, 8])
        #expect(try (0..<3).map { try row.get($0, as: Int.self) } == [2, 4, 8])
        #expect(try row.int4(1) == 4)
        #expect(throws: decoding("two", "an integer")) { try row.int4(0) }
        #expect(throws: decoding("eight", "an integer")) { try row.int4(2) }
        #expect(throws: decoding("none", "an integer")) { try row.int8(3) }
        #expect(try row.optional(3, as: Int64.self) == nil)
        #expect(row.isNull(3) && !row.isNull(2))
    }

    @Test func `names the column and what was expected of it`() async throws {
        let row = try await row("SELECT 1::int8 AS number, NULL::text AS word, 'a'::text, ''")
        #expect(throws: decoding("number", "String")) { try row.get(0, as: String.self) }
        #expect(throws: decoding("word", "String, found NULL")) { try row.get(1, as: String.self) }
        #expect(throws: decoding("number", "text")) { try row.text(0) }
        #expect(throws: decoding("number", "a truth value")) { try row.bool(0) }
        #expect(throws: decoding("number", "a time")) { try row.timestamp(0) }
        #expect(throws: decoding("number", "bytes")) { _ = try row.contentInPlace(0) }
        #expect(throws: decoding("word", "text")) { try row.text(1) }
        #expect(throws: decoding("?column?", "Int64")) { try row.get(3, as: Int64.self) }
    }

    @Test func `tells NULL from what is empty`() async throws {
        let row = try await row(
            "SELECT NULL::text, ''::text, NULL::float8, 0::float8, ''::bytea, '[]'::json")
        #expect(try row.optionalText(0) == nil)
        #expect(try row.optionalText(1) == "")
        #expect(try row.optional(2, as: Double.self) == nil)
        #expect(try row.optional(3, as: Double.self) == 0)
        #expect(try row.contentInPlace(4).isEmpty)
        #expect(row.equals(0, nil as String?) && !row.equals(1, nil as String?))
        #expect(row.equals(1, "") && !row.equals(0, ""))
    }

    @Test func `equals a text of the same bytes and no other that looks the same`() async throws {
        let pair = Lookalikes.cafe
        let row = try await row("SELECT $1::text", [.text(pair.one)])
        #expect(row.equals(0, pair.one) && !row.equals(0, pair.other))
        #expect(!row.equals(0, pair.one + "x"))
        #expect(!row.equals(0, "café!"))
    }

    @Test func `gives the content of a document as it lies, or as a copy`() async throws {
        let json = #"{"b":1, "a":2}"#
        let row = try await row(
            "SELECT $1::json, $1::json::jsonb, $1::json::text, convert_to($1::json::text, 'UTF8')",
            [.json(Array(json.utf8))])
        for column in [0, 2, 3] {
            #expect(try row.get(column, as: Data.self) == Data(json.utf8))
        }
        #expect(try row.get(1, as: Data.self) == Data(#"{"a": 2, "b": 1}"#.utf8))
        for column in 0..<4 {
            #expect(try Data(row.contentInPlace(column)) == row.get(column, as: Data.self))
        }
    }

    /// By FNV-1a, so it is the same in every process and every release.
    @Test func `has a fingerprint of each column's bytes`() async throws {
        let row = try await row("SELECT 'a'::text, ''::text, NULL::text, 'a'::bytea, 'b'::text")
        #expect(row.fingerprint(0) == 0xaf63_dc4c_8601_ec8c)
        #expect(row.fingerprint(1) == 0xcbf2_9ce4_8422_2325)
        #expect(row.fingerprint(2) == row.fingerprint(1))
        #expect(row.fingerprint(3) == row.fingerprint(0))
        #expect(row.fingerprint(4) != row.fingerprint(0))
    }

    @Test func `gives truth values and times`() async throws {
        let row = try await row(
            """
            SELECT true, false, '2000-01-01T00:00:00Z'::timestamptz, 'infinity'::timestamptz,
                '-infinity'::timestamptz, 'NaN'::float8, '-infinity'::float8
            """)
        #expect(try row.bool(0))
        #expect(try !row.bool(1))
        #expect(try row.timestamp(2) == Timestamp(unixMicroseconds: 946_684_800_000_000))
        #expect(try row.timestamp(3).unixMicroseconds == .max)
        #expect(try row.timestamp(4).unixMicroseconds == .min)
        #expect(try row.optional(5, as: Double.self)?.isNaN == true)
        #expect(try row.optional(6, as: Double.self) == -.infinity)
    }
}

struct `Rows of a statement` {
    @Test func `are counted where they are touched, and where they are read`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let answers = try await pool.batch([
            Statement("CREATE TABLE pizza (name text, price int4)"),
            Statement(
                "INSERT INTO pizza SELECT * FROM unnest($1::text[], $2::int4[])",
                [.texts(["margherita", "funghi", nil]), .int4s([8, nil, 10])]),
            Statement("UPDATE pizza SET price = 9 WHERE price IS NULL"),
            Statement("DELETE FROM pizza WHERE name = 'marinara'"),
            Statement("SELECT * FROM pizza ORDER BY price DESC"),
        ])
        #expect(answers.map(\.affectedCount) == [0, 3, 1, 0, 3])
        #expect(answers.map(\.count) == [0, 0, 0, 0, 3])
        #expect(try answers[4].map { try $0.int4(1) } == [10, 9, 8])
        #expect(try answers[4].last?.text(0) == "margherita")
        #expect(try answers[4].reversed().first?.int4(1) == 8)
    }

    /// Every kind of array that statements are given, with NULLs and without.
    @Test func `are made of arrays of any kind`() async throws {
        let pool = try await TestDatabase.makeEmpty().pool
        let sql = """
            SELECT a, b, c, d::text, e::text, f, g FROM unnest($1::bool[], $2::bytea[],
                $3::timestamptz[], $4::json[], $5::jsonb[], $6::int8[], $7::text[])
                AS x (a, b, c, d, e, f, g)
            """
        let document = Data(#"{"b":1, "a":2}"#.utf8)
        let moment = Timestamp(unixMicroseconds: -1)
        let rows = try await pool.query(
            sql,
            [
                .bools([true, nil, false]), .byteas([[0, 255], nil, []]),
                .timestamps([moment, nil, Timestamp(unixMicroseconds: .max)]),
                .jsons([document, nil, Data("1".utf8)]), .jsonbs([document, nil, Data("1".utf8)]),
                .int8s([.min, nil, .max]), .texts(["🍕", nil, ""]),
            ])
        #expect(rows.count == 3)
        #expect((0..<7).allSatisfy { rows[1].isNull($0) && !rows[0].isNull($0) })
        #expect(try rows[0].bool(0) && !rows[2].bool(0))
        #expect(try rows[0].get(1) == [UInt8]([0, 255]) && rows[2].contentInPlace(1).isEmpty)
        #expect(try rows[0].timestamp(2) == moment)
        #expect(try rows[2].timestamp(2).unixMicroseconds == .max)
        #expect(try rows[0].text(3) == #"{"b":1, "a":2}"#)
        #expect(try rows[0].text(4) == #"{"a": 2, "b": 1}"#)
        #expect(try rows[0].int8(5) == .min && rows[2].int8(5) == .max)
        #expect(try rows.map { try $0.optionalText(6) } == ["🍕", nil, ""])
    }
}
