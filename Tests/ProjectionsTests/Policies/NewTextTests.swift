import Projections
import Testing

/// What is refused of a policy that is yet to be put, and still read of one that was put before.
struct NewTextTests {
    private func errors(_ document: PolicyDocument) -> [PolicyInputError] {
        do throws(PolicyError) {
            _ = try ActivityCatalog.standard.newPolicy(ofKind: "PizzaDelivery", document)
            return []
        } catch {
            guard case .refused(let errors) = error else { return [] }
            return errors
        }
    }

    private func expectStoredIsRead(_ document: PolicyDocument) throws {
        _ = try ActivityCatalog.standard.policy(ofKind: "PizzaDelivery", document, version: 1)
    }

    private func document(
        _ text: PolicyDocument.Text, _ language: String, key: String = "late.body"
    ) -> PolicyDocument {
        PolicyDocument(texts: [language: [key: text]])
    }

    private func forms(_ names: String...) -> [String: String] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, "{minutes} \($0)") })
    }

    @Test func `every form that numbers take in a language is taken`() {
        let all = forms("zero", "one", "two", "few", "many", "other")
        #expect(errors(document(.plural(by: "minutes", forms: all), "ar")).isEmpty)
        let polish = forms("one", "few", "many", "other")
        #expect(errors(document(.plural(by: "minutes", forms: polish), "pl-PL")).isEmpty)
    }

    @Test(arguments: [
        ("en", "few", "`one`, `other`"), ("cs", "many", "`one`, `few`, `other`"),
        ("ja", "one", "`other`"), ("tlh", "one", "`other`"), ("en-GB", "zero", "`one`, `other`"),
    ])
    func `a form that no number takes in its language is refused`(
        language: String, form: String, used: String
    ) throws {
        let document = document(.plural(by: "minutes", forms: forms(form, "other")), language)
        let found = errors(document)
        #expect(found.map(\.pointer) == ["/texts/\(language)/late.body/\(form)"])
        #expect(
            found.first?.detail == "is said of no whole number in `\(language)`, which has \(used)")
        try expectStoredIsRead(document)
    }

    @Test(arguments: ["order", "reason", "", "driver"])
    func `forms go by a number, and another place is refused with those that are`(
        by: String
    ) throws {
        let document = document(
            .plural(by: by, forms: ["one": "UNO", "other": "{minutes} minuti"]), "it")
        let found = errors(document)
        #expect(found.map(\.pointer) == ["/texts/it/late.body/by"])
        #expect(found.first?.detail == "must name a number of the text; there is `minutes`")
    }

    @Test func `a text without a number has no forms`() throws {
        let document = document(
            .plural(by: "order", forms: ["other": "{order}"]), "it", key: "first.body")
        let found = errors(document)
        #expect(found.map(\.pointer) == ["/texts/it/first.body/by"])
        #expect(found.first?.detail.contains("this text has no number") == true)
        try expectStoredIsRead(document)
    }

    @Test func `every number of a built-in text may choose between forms`() {
        for (kind, key, by) in [
            ("PizzaDelivery", "late.body", "minutes"), ("PizzaDelivery", "pizzas", "count"),
            ("PizzaDelivery", "overdue.body", "minutes"),
            ("CoffeeDelivery", "delayed.body", "minutes"),
            ("CoffeeDelivery", "overdue.body", "minutes"),
        ] {
            let text = PolicyDocument.Text.plural(
                by: by, forms: ["one": "{\(by)}", "other": "{\(by)}"])
            #expect(throws: Never.self, "\(kind) \(key)") {
                try ActivityCatalog.standard.newPolicy(
                    ofKind: kind, PolicyDocument(texts: ["nl": [key: text]]))
            }
        }
    }

    @Test(arguments: [
        (" ", "must be one line"), ("\u{3000}", "must be one line"), ("a\nb", "must be one line"),
        ("\u{200B}\u{2800}", "must be one line"), ("\u{202E}", "must be one line"),
        ("\u{FFF9} \u{FFFB}", "must be one line"), ("\u{2067}\u{2069}", "must be one line"),
        ("a\u{1}b", "must be one line"), ("a\u{2028}b", "must be one line"),
        ("{order} bringt: {minutes", "has a `{` that no `}` closes"),
        ("{order} x}", "has a `}` that no `{` opens"), ("{", "has a `{`"),
        ("}{order}", "has a `}`"),
    ])
    func `a text that nobody can have meant is refused, in each of its forms`(
        text: String, detail: String
    ) throws {
        let plain = document(.plain(text), "de")
        let found = errors(plain)
        #expect(found.map(\.pointer) == ["/texts/de/late.body"])
        #expect(found.first?.detail.hasPrefix(detail) == true, "\(found)")
        try expectStoredIsRead(plain)
        let plural = document(
            .plural(by: "minutes", forms: ["one": text, "other": "{minutes}"]), "de")
        #expect(errors(plural).map(\.pointer) == ["/texts/de/late.body/one"])
        try expectStoredIsRead(plural)
    }

    @Test(arguments: ["{order}{order}", "¡{order}!", "a  b", "\u{202E}x", "}\u{301}{order}"])
    func `any other text is taken`(text: String) {
        #expect(errors(document(.plain(text), "de")).isEmpty)
    }

    // MARK: Times of the day

    private func errors(from: String) -> [PolicyInputError] {
        errors(PolicyDocument(quietHours: .init(from: from, to: "12:34", timeZone: "UTC")))
    }

    @Test(arguments: ["00:00", "09:59", "19:07", "20:00", "23:59"])
    func `a time of the day is taken`(time: String) {
        #expect(errors(from: time).isEmpty)
    }

    @Test(arguments: [
        "", "7:00", "24:00", "29:00", "30:00", "12:60", "12.30", "1230", "12:3", "12:300",
        "12:30:00", " 12:30", "12:30 ", "12:30\n", "12:30Z", "-1:30", "12:3\u{301}0",
        "12:30\u{301}", "1\u{FE0F}2:30", "１２:３０", "١٢:٣٠", "12：30",
    ])
    func `another time is refused`(time: String) {
        let found = errors(from: time)
        #expect(found.map(\.pointer) == ["/quietHours/from"])
        #expect(found.first?.detail == "must be a time of the day from `00:00` to `23:59`")
    }

    // MARK: Time zones

    private func hours(_ timeZone: String) -> PolicyDocument {
        PolicyDocument(quietHours: .init(from: "22:00", to: "07:00", timeZone: timeZone))
    }

    @Test(arguments: [
        "Europe/Berlin", "UTC", "GMT", "Etc/GMT-2", "Etc/UTC", "CET", "EST5EDT", "US/Eastern",
        "Asia/Calcutta", "America/Argentina/Buenos_Aires",
    ])
    func `every name of the time zone database is taken`(name: String) throws {
        #expect(errors(hours(name)).isEmpty)
    }

    @Test(arguments: [
        ("GMT+2", "Etc/GMT-2"), ("UTC+2", "Etc/GMT-2"), ("GMT-5", "Etc/GMT+5"),
    ])
    func `an offset is refused with its name in the database`(
        offset: String, name: String
    ) throws {
        let found = errors(hours(offset))
        #expect(found.map(\.pointer) == ["/quietHours/timeZone"])
        #expect(found.first?.detail.contains("this one is `\(name)` there") == true, "\(found)")
        try expectStoredIsRead(hours(offset))
    }

    @Test(arguments: [
        ("GMT+0530", "Europe/Berlin"), ("BST", "Europe/Berlin"), ("PST", "Europe/Berlin"),
        ("Europe/berlin", "Europe/Berlin"), ("europe/PARIS", "Europe/Paris"),
        ("Tokyo", "Asia/Tokyo"), ("+02:00", "Europe/Berlin"), ("", "Europe/Berlin"),
    ])
    func `another name is refused with one that is meant, or with an example`(
        name: String, offered: String
    ) {
        let found = errors(hours(name))
        #expect(found.map(\.pointer) == ["/quietHours/timeZone"])
        #expect(
            found.first?.detail
                == "must be a name of the IANA time zone database, such as `\(offered)`")
    }
}
