import Foundation
import ProjectFiles
import Testing

/// What each module may import of ours. Levels only point down; `docs/ARCHITECTURE.md` explains.
private let table: [String: Set<String>] = [
    "IsletActivities": [],
    "Encodings": [],
    "JSON": ["Encodings", "IsletActivities"],
    "Domain": ["IsletActivities", "JSON"],
    "Locks": [],
    "IsletClient": ["Encodings", "IsletActivities"],
    "EventLoop": ["CUV", "Locks"],
    "TLS": ["COpenSSL"],
    "APNs": ["Encodings", "JSON"],
    "Compression": ["CZlib", "CZstd", "Locks"],
    "Projections": ["Domain", "Encodings", "JSON", "Locks"],
    "Postgres": ["CPostgres", "Encodings", "EventLoop"],
    "WebClient": ["CCurl", "EventLoop"],
    "ObjectStorage": ["Encodings", "EventLoop", "TLS", "WebClient"],
    "HTTP": ["CHTTPParser", "CNGHTTP2", "Encodings", "EventLoop", "TLS"],
    "DeliveryRules": ["APNs", "Domain", "Encodings", "JSON", "Projections"],
    "APNsClient": ["APNs", "EventLoop", "HTTP", "TLS"],
    "EventStore": ["Domain", "Encodings", "Locks"],
    "PostgresStore": [
        "Compression", "Domain", "Encodings", "EventLoop", "EventStore", "JSON", "Postgres",
    ],
    "Explaining": ["APNs", "DeliveryRules", "Domain", "EventStore"],
    "API": [
        "APNs", "Compression", "DeliveryRules", "Domain", "Encodings", "EventStore", "Explaining",
        "HTTP", "JSON", "Locks", "Pipeline", "Projections", "Replay", "TLS",
    ],
    "Pipeline": ["DeliveryRules", "Domain", "EventStore", "JSON", "Locks", "Projections"],
    "Delivery": [
        "APNs", "DeliveryRules", "Domain", "Encodings", "EventStore", "Locks", "Projections",
    ],
    "Replay": [
        "DeliveryRules", "Domain", "Encodings", "EventStore", "Explaining", "JSON", "Locks",
        "Projections",
    ],
    "Archive": [
        "Domain", "Encodings", "EventLoop", "EventStore", "JSON", "ObjectStorage", "Projections",
        "TLS",
    ],
    "Simulator": ["Domain", "Encodings", "EventLoop", "HTTP", "JSON", "Projections", "TLS"],
    "Terminal": ["CBuildInfo", "Domain", "EventLoop", "JSON"],
    "DatabaseAccess": [
        "Domain", "EventLoop", "EventStore", "Postgres", "PostgresStore", "Terminal",
    ],
    "ServerClient": ["Domain", "EventLoop", "JSON", "Projections", "Terminal", "WebClient"],
    "AppKeys": [
        "APNs", "APNsClient", "DatabaseAccess", "Delivery", "DeliveryRules", "Domain", "Encodings",
        "EventLoop", "EventStore", "Explaining", "HTTP", "TLS", "Terminal",
    ],
    "Hosting": [
        "API", "APNs", "APNsClient", "AppKeys", "DatabaseAccess", "Delivery", "DeliveryRules",
        "Domain", "Encodings", "EventLoop", "EventStore", "HTTP", "JSON", "Pipeline", "Postgres",
        "Simulator", "TLS", "Terminal", "WebClient",
    ],
    "Importers": ["API", "Domain", "Encodings", "JSON", "Projections", "TLS", "Terminal"],
    "Demo": [
        "Domain", "EventLoop", "Explaining", "Hosting", "JSON", "Projections", "ServerClient",
        "Simulator", "Terminal",
    ],
    "Doctor": [
        "APNs", "APNsClient", "AppKeys", "DatabaseAccess", "Domain", "EventLoop", "EventStore",
        "Explaining", "Postgres", "PostgresStore", "TLS", "Terminal",
    ],
    "islet": [
        "API", "APNs", "APNsClient", "AppKeys", "Archive", "CJemalloc", "DatabaseAccess",
        "Delivery", "DeliveryRules", "Demo", "Doctor", "Domain", "EventLoop", "EventStore",
        "Explaining", "Hosting", "Importers", "JSON", "ObjectStorage", "Pipeline", "Postgres",
        "PostgresStore", "Projections", "Replay", "ServerClient", "Simulator", "TLS", "Terminal",
        "WebClient",
    ],
]

private let cLibraries: Set = [
    "CBuildInfo", "CCurl", "CHTTPParser", "CJemalloc", "CNGHTTP2", "COpenSSL", "CPostgres", "CUV",
    "CZlib", "CZstd",
]

/// Composition roots have no logic: they build what others are, and run it.
@Test func `mains and composition roots stay under 150 lines`() throws {
    let roots: Set = [
        "Sources/islet/Islet.swift", "Sources/Hosting/Server.swift", "Sources/Demo/Demo.swift",
    ]
    let found = try SourceTree.swiftFiles().filter { roots.contains($0.path) }
    #expect(Set(found.map(\.path)) == roots)
    for file in found { #expect(file.lines.count < 150, "\(file.path)") }
}

private func imports(of file: SourceFile) -> [String] {
    file.lines.filter { $0.contains("import ") }.compactMap { line in
        line.firstMatch(of: /^\s*(?:@\w+ )?(?:public |internal |package )?import (\w+)/)
            .map { String($0.1) }
    }
}

@Test func `every module imports only what the module table allows`() throws {
    let files = try SourceTree.swiftFiles().filter { !$0.isTest && table[$0.module] != nil }
    #expect(Set(files.map(\.module)) == Set(table.keys), "table and folders differ")
    for file in files {
        for imported in imports(of: file)
        where table[imported] != nil || cLibraries.contains(imported) {
            let allowed = table[file.module]?.contains(imported) == true
            #expect(allowed, "\(file.path) imports \(imported)")
        }
    }
}

@Test func `every module imports all that the module table allows`() throws {
    var imported: [String: Set<String>] = [:]
    for file in try SourceTree.swiftFiles() where !file.isTest {
        imported[file.module, default: []].formUnion(imports(of: file))
    }
    for (module, allowed) in table {
        let unused = allowed.subtracting(imported[module] ?? [])
        #expect(unused.isEmpty, "\(module) does not import \(unused.sorted())")
    }
}

@Test func `each C library has exactly one importing module`() throws {
    var importers: [String: Set<String>] = [:]
    for file in try SourceTree.swiftFiles() {
        for imported in imports(of: file) where cLibraries.contains(imported) {
            importers[imported, default: []].insert(file.module)
        }
    }
    #expect(Set(importers.keys) == cLibraries)
    for (library, modules) in importers {
        #expect(modules.count == 1, "\(library) is imported by \(modules.sorted())")
    }
}

@Test func `replay and projections cannot push`() throws {
    for module in ["Archive", "Replay", "Projections", "Pipeline"] {
        let reachable = closure(of: module)
        #expect(reachable.isDisjoint(with: ["Delivery", "APNsClient", "HTTP"]), "\(module)")
    }
}

private func closure(of module: String) -> Set<String> {
    var reached: Set<String> = []
    var open = [module]
    while let next = open.popLast() {
        for imported in table[next] ?? [] where reached.insert(imported).inserted {
            open.append(imported)
        }
    }
    return reached
}

@Test func `the architecture page names every module`() throws {
    let page = try ProjectFiles.text("docs/ARCHITECTURE.md")
    for module in table.keys {
        #expect(page.contains("`\(module)`"), "docs/ARCHITECTURE.md does not name \(module)")
    }
}

/// A reader who looks for webhooks finds them under the same name in each module.
@Test func `a capability has the same folder name in every module`() throws {
    let others: Set = [
        "App", "Card", "Broadcasting", "Channel", "Starting", "Start", "Webhook",
        "DeadLetter", "Policy", "Replay",
    ]
    for file in try SourceTree.swiftFiles() where file.path.hasPrefix("Sources/") {
        let folders = Set(file.path.split(separator: "/").dropFirst(2).dropLast().map(String.init))
        #expect(folders.isDisjoint(with: others), "\(file.path)")
    }
}
