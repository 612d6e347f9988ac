import Foundation
import ProjectFiles
import Testing

/// The rules of docs/STYLE.md that can be checked, and what keeps the documentation together.
struct `The documentation` {
    private let banned = [
        "is told", "are told", "was told", "were told", "be told", "told ahead", "whoever",
        "to have it said", "half and nine tenths", "what became of", "anew", "as ever",
        "by way of", "in the place of", "all the same", "is it that", "be it", "thereof",
        "whatever anybody", "nobody that",
    ]

    @Test func `has links that lead somewhere`() throws {
        let pages = try MarkdownTree.pages()
        let byPath = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0) })
        for page in pages {
            for link in page.links {
                let target = page.target(of: link)
                let file = ProjectFiles.url(target.path)
                let isThere = FileManager.default.fileExists(atPath: file.path)
                #expect(isThere, "\(page.path) links to \(link), which does not exist")
                guard let anchor = target.anchor, let other = byPath[target.path] else { continue }
                #expect(
                    other.anchors.contains(anchor),
                    "\(page.path) links to \(link), and there is no such heading")
            }
        }
    }

    @Test func `is reachable from its index`() throws {
        let pages = try MarkdownTree.pages()
        let byPath = Dictionary(uniqueKeysWithValues: pages.map { ($0.path, $0) })
        var reached: Set = ["docs/README.md"]
        var open = ["docs/README.md"]
        while let path = open.popLast() {
            guard let page = byPath[path] else { continue }
            for link in page.links {
                let target = page.target(of: link).path
                if reached.insert(target).inserted { open.append(target) }
            }
        }
        let lost = Set(byPath.keys).subtracting(reached).sorted()
        #expect(lost == [], "docs/README.md leads to none of these")
    }

    /// Its two tables of what there is are for people who begin there.
    @Test func `is listed in the README by page`() throws {
        let pages = try MarkdownTree.pages()
        let readme = try #require(pages.first { $0.path == "README.md" })
        let linked = Set(readme.links.map { readme.target(of: $0).path })
        for page in pages where page.path.contains(/^docs\/(?:how-to|reference)\//) {
            #expect(linked.contains(page.path), "README.md does not link \(page.path)")
        }
    }

    @Test func `has lines of prose of at most 120 columns`() throws {
        for page in try MarkdownTree.pages() {
            for (number, line) in page.prose where line.count > 120 && !line.hasPrefix("|") {
                Issue.record("\(page.path):\(number) has \(line.count) columns")
            }
        }
    }

    /// One page says what is banned, and one repeats the API's messages.
    @Test func `uses no banned phrase`() throws {
        let exempt: Set = ["docs/STYLE.md", "docs/reference/problems.md"]
        for page in try MarkdownTree.pages() where !exempt.contains(page.path) {
            try expectNoBanned(
                in: page.prose.map { $0.line.replacing(/`[^`]*`/, with: "``") }, of: page.path)
        }
    }

    /// All that the program says: options, help, problems, sentences about decisions. And all that
    /// developers read: comments, and names of tests. A test may have any text in its literals.
    @Test func `bans the same phrases from the sources and from the API's document`() throws {
        for path in ["openapi.json", "dashboard/texts.en.js"] {
            let text = try ProjectFiles.text("Sources/API/Assets/\(path)")
            try expectNoBanned(in: text.components(separatedBy: "\n"), of: path)
        }
        for file in try SourceTree.swiftFiles() {
            let lines = file.isTest ? file.lines.filter(isCommentOrName) : file.lines
            try expectNoBanned(in: lines, of: file.path)
        }
    }

    private func isCommentOrName(_ line: String) -> Bool {
        line.contains("//") || line.contains("`")
    }

    /// A phrase may begin on one line, and end on the next one.
    private func expectNoBanned(in lines: [String], of path: String) throws {
        let margin = CharacterSet(charactersIn: " /")
        let text = lines.map { $0.trimmingCharacters(in: margin) }
            .joined(separator: " ").replacingOccurrences(of: "\" + \"", with: "").lowercased()
        for phrase in banned where text.contains(phrase) {
            if try text.contains(Regex("\\b\(phrase)\\b")) {
                Issue.record("\(path) says \"\(phrase)\"")
            }
        }
    }

    @Test func `bans what the style page says`() throws {
        let page = try ProjectFiles.text("docs/STYLE.md")
        for phrase in banned {
            let spaced = page.replacing("\n", with: " ")
            #expect(spaced.contains(phrase), "docs/STYLE.md does not list \"\(phrase)\"")
        }
    }

    /// A reader follows several pages in one folder, and an export overwrites none that is there.
    @Test func `writes each export to a place of its own`() throws {
        var pages: [String: String] = [:]
        for page in try MarkdownTree.pages() where page.path.hasPrefix("docs/how-to/") {
            for match in page.text.matches(of: /islet events export .*?--to (\S+)/) {
                let other = pages.updateValue(page.path, forKey: String(match.1))
                #expect(other == nil, "\(page.path) and \(other ?? "") export to \(match.1)")
            }
        }
        #expect(pages.count > 3)
    }

    /// Run a second time, a command that made another would leave nothing that opens what the first
    /// has sealed.
    @Test(
        arguments: [
            "docs/how-to/connect-apple.md", "docs/how-to/run-in-production.md",
            "deploy/debian/islet.conf",
        ])
    func `make a master key only where there is none`(path: String) throws {
        let text = try ProjectFiles.text(path).replacing("||\n", with: "||")
        let makers = text.split(separator: "\n").filter {
            $0.contains("openssl rand -hex 32") && !$0.contains("cat - master.key")
        }
        #expect(!makers.isEmpty)
        for line in makers { #expect(line.contains(/\[ -e \S*master\.key \] \|\|/), "\(line)") }
    }

    /// Who pastes blocks waits between them, and not within one. What is sealed with a line that a
    /// node has not read, the node cannot open.
    @Test func `lets every node read a new master key before anything is sealed with it`() throws {
        let page = try ProjectFiles.text("docs/how-to/connect-apple.md")
        let blocks = page.matches(of: /\n```sh\n(.*?)\n```/.dotMatchesNewlines())
            .map { String($0.1) }
        let made = try #require(blocks.firstIndex { $0.contains("cat - master.key") })
        let read = try #require(blocks.firstIndex { $0.contains("systemctl reload islet") })
        let sealed = try #require(blocks.firstIndex { $0.contains("islet apps rewrap-keys") })
        #expect(made < read && read < sealed)
        // It would give the file to the person who pastes it.
        #expect(!blocks[made].contains("mv "))
    }

    @Test func `has a glossary in alphabetical order`() throws {
        let words = try ProjectFiles.text("docs/GLOSSARY.md")
            .matches(of: /(?:^|\n)(?:<a [^>]*><\/a>)?\*\*(.+?)\.\*\*/)
            .map { match in
                match.1.lowercased().replacing("-", with: " ")
                    .filter { $0.isLetter || $0 == " " }
            }
        #expect(words.count > 60)
        #expect(words == words.sorted())
    }
}

struct `The pages about monitoring` {
    private func names(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test func `describe every metric, and none that there is not`() throws {
        let page = try ProjectFiles.text("docs/reference/metrics.md")
        let code = try SourceTree.swiftFiles()
            .filter { $0.path.hasPrefix("Sources/Hosting/Metrics/") }
            .map { $0.lines.joined(separator: "\n") }.joined(separator: "\n")
        let exported = names(/"(islet_[a-z_]+)"/, in: code)
        #expect(exported.count > 40)
        #expect(names(/`(islet_[a-z_]+)/, in: page) == exported)
        let shown = ["alerts.yml", "dashboard.json"].map { "deploy/monitoring/\($0)" }
        for path in shown {
            let text = try ProjectFiles.text(path)
            let used = Set(
                names(/\b(islet_[a-z_]+)/, in: text).map {
                    $0.replacing(/_seconds_(?:bucket|count|sum)$/, with: "_seconds")
                })
            #expect(used.subtracting(exported) == [], "\(path)")
        }
    }

    /// Somebody who kills a node has to know it beforehand.
    @Test(
        arguments: [
            "docs/runbooks/IsletTakeOver.md", "docs/how-to/run-in-production.md",
            "docs/how-to/high-availability.md",
        ])
    func `say that an alert may come a second time when a node dies`(path: String) throws {
        let words = try ProjectFiles.text(path).split(whereSeparator: \.isWhitespace)
        #expect(words.joined(separator: " ").contains("an alert may come a second time"))
    }

    @Test func `have a runbook for every alert`() throws {
        let alerts = names(
            /alert: (\w+)/, in: try ProjectFiles.text("deploy/monitoring/alerts.yml"))
        let folder = ProjectFiles.url("docs/runbooks")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0 != "README.md" }.map { $0.replacing(".md", with: "") }
        #expect(Set(pages) == alerts)
    }
}

struct `Each decision` {
    private struct Entry: Hashable {
        var number: Int
        var title: String
        var status: String
        var date: String
    }

    /// `overtaken by [33](0033-….md)` as `overtaken by 33`.
    private func plain(_ text: some StringProtocol) -> String {
        String(text).replacing(/\[(\d+)\]\([^)]*\)/) { String($0.1) }
    }

    private func entries() throws -> [Entry] {
        try MarkdownTree.pages().filter { $0.path.contains(/decisions\/\d{4}-/) }.map { page in
            let head = try #require(
                page.text.prefixMatch(
                    of: /# (\d+)\. ([^\n]+)\n\n- Status: ([^\n]+)\n- Date: ([\d-]{10})\n\n/),
                "\(page.path) does not begin with number, title, status and date")
            let number = try #require(Int(head.1))
            let name = try #require(page.path.split(separator: "/").last)
            #expect(Int(name.prefix(4)) == number, "\(page.path) has another number")
            return Entry(
                number: number, title: String(head.2), status: plain(head.3),
                date: String(head.4))
        }
    }

    @Test func `has a status, a date and a row in the index`() throws {
        let index = try ProjectFiles.text("docs/decisions/README.md")
            .matches(
                of: /\n\| (\d+) \| \[([^\n]+)\]\(\d{4}-[\w-]+\.md\) \| ([^\n]+) \| ([\d-]+) \|/
            )
            .map {
                Entry(
                    number: Int($0.1) ?? 0, title: String($0.2), status: plain($0.3),
                    date: String($0.4))
            }
        let entries = try entries()
        #expect(entries.count > 40)
        #expect(index == entries)
        let numbers = Set(entries.map(\.number))
        for entry in entries {
            let status = entry.status.wholeMatch(
                of: /accepted(?:, extended by (\d+))?|overtaken by (\d+)/)
            #expect(status != nil, "decision \(entry.number) has the status \(entry.status)")
            for later in [status?.1, status?.2].compactMap({ $0 }) {
                let isThere = Int(later).map(numbers.contains) == true
                #expect(isThere, "decision \(entry.number) names \(later), which does not exist")
            }
        }
    }

    /// What a later one has changed keeps the names of its time.
    @Test func `names types and files that there are`() throws {
        var known: Set<Substring> = []
        for file in try SourceTree.swiftFiles() {
            for text in file.lines + [file.path] {
                known.formUnion(text.utf8.split { !isOfName($0) }.map { Substring($0) })
            }
        }
        for page in try MarkdownTree.pages() where page.path.contains(/decisions\/\d{4}-/) {
            guard page.text.contains("\n- Status: accepted\n") else { continue }
            for name in page.text.matches(of: /`([A-Z][a-z]+(?:[A-Z]+[a-z0-9]+)+)[`.(]/) {
                #expect(known.contains(name.1), "\(page.path) names \(name.1)")
            }
        }
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}

struct `The architecture page` {
    private func page() throws -> Page {
        let path = "docs/ARCHITECTURE.md"
        return Page(path: path, text: try ProjectFiles.text(path))
    }

    @Test func `fits on 150 lines`() throws {
        let lines = try page().text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 151)
    }

    @Test func `names folders that exist for each capability`() throws {
        let rows = try page().prose.map(\.line).drop { !$0.hasPrefix("## Capabilities") }
            .filter { $0.hasPrefix("|") }
            .map { $0.split(separator: "|", omittingEmptySubsequences: false).dropLast() }
        let modules = try #require(rows.first)
        #expect(rows.count == 16)
        for row in rows.dropFirst(2) {
            for (module, cell) in zip(modules, row).dropFirst(2) {
                for folder in cell.matches(of: /`([^`]+)`/).map(\.1) {
                    let name = module.trimmingCharacters(in: ["`", " "])
                    let place = ProjectFiles.url("Sources/\(name)/\(folder)")
                    let isThere = [place.path, place.path + ".swift"].contains {
                        FileManager.default.fileExists(atPath: $0)
                    }
                    #expect(isThere, "there is no Sources/\(name)/\(folder)")
                }
            }
        }
    }

    @Test func `tells a story of functions that exist`() throws {
        let sources = try SourceTree.swiftFiles().filter { !$0.isTest }
        let calls = try page().text.matches(of: /`([A-Z]\w+)\.([a-z]\w+)`/)
        #expect(calls.count > 15)
        for call in calls {
            let types = ["struct", "class", "actor", "enum", "protocol", "extension"].flatMap {
                ["\($0) \(call.1) ", "\($0) \(call.1):", "\($0) \(call.1)<"]
            }
            let members =
                call.2 == "init" ? ["init("] : ["func", "var", "let"].map { "\($0) \(call.2)" }
            let isThere = sources.contains { file in
                [types, members].allSatisfy { words in
                    file.lines.contains { line in words.contains { line.contains($0) } }
                }
            }
            #expect(isThere, "there is no \(call.0)")
        }
    }
}
