// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: existentials are spelled out, and a member is visible only where
/// its module is imported.
let explicit: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Where only this repository builds it, a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)] + explicit

/// A module that apps and backends link, as it is or below another one. Their tools build a package
/// that comes by URL with `-suppress-warnings`, and the compiler refuses that together with
/// `.treatAllWarnings`. That these have no warning is what `Tests/PizzaAppTests` sees to.
func linked(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: explicit)
}

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// A module without clock, chance and I/O. It is optimized in debug builds too, because tests call
/// it so often: without that they take three times as long.
func pure(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies,
        swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))])
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["ProjectFiles"], exclude: exclude,
        swiftSettings: strict)
}

let libraries: [Target] = [
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(
        name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(
        name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    .systemLibrary(
        name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "CHTTPParser", cxxSettings: [.define("BOOST_ALL_NO_LIB")]),
    // What `--version` shows: given by `make` and the Dockerfile, and nothing without.
    .target(
        name: "CBuildInfo",
        cSettings: [
            .define("ISLET_COMMIT", to: "\"\(Context.environment["ISLET_COMMIT"] ?? "")\"")
        ]),
]

/// Imports only point down this list; `TidyTests` has the table and checks every source file.
let modules: [Target] = [
    linked("IsletActivities"),
    linked("Encodings"),
    pure("JSON", ["Encodings", "IsletActivities"]),
    pure("Domain", ["IsletActivities", "JSON"]),
    module("Locks"),
    linked("IsletClient", ["Encodings", "IsletActivities"]),
    module("EventLoop", ["CUV", "Locks"]),
    module("TLS", ["COpenSSL"]),
    pure("Projections", ["Domain", "Encodings", "JSON", "Locks"]),
    module("APNs", ["Encodings", "JSON"]),
    module("Compression", ["Locks", "CZlib", "CZstd"]),
    module("Postgres", ["Encodings", "EventLoop", "CPostgres"]),
    module("WebClient", ["EventLoop", "CCurl"]),
    module("ObjectStorage", ["Encodings", "EventLoop", "TLS", "WebClient"]),
    module("HTTP", ["Encodings", "EventLoop", "TLS", "CHTTPParser", "CNGHTTP2"]),
    pure("DeliveryRules", ["Domain", "Encodings", "JSON", "Projections", "APNs"]),
    module("APNsClient", ["APNs", "HTTP", "EventLoop", "TLS"]),
    module("EventStore", ["Domain", "Encodings", "Locks"]),
    module(
        "PostgresStore",
        ["Compression", "Domain", "Encodings", "EventLoop", "EventStore", "JSON", "Postgres"],
        resources: [
            .embedInCode("Dictionaries"), .embedInCode("Migrations"), .embedInCode("Roles"),
        ]),
    module("Explaining", ["APNs", "DeliveryRules", "Domain", "EventStore"]),
    module(
        "Pipeline", ["Domain", "JSON", "Locks", "Projections", "DeliveryRules", "EventStore"]),
    module(
        "Delivery",
        ["Domain", "Encodings", "Locks", "Projections", "DeliveryRules", "APNs", "EventStore"]),
    module(
        "Replay",
        [
            "Domain", "Encodings", "JSON", "Locks", "Projections", "DeliveryRules", "EventStore",
            "Explaining",
        ]),
    module(
        "API",
        [
            "APNs", "Compression", "Domain", "Encodings", "JSON", "Pipeline", "Projections",
            "DeliveryRules", "EventStore", "Explaining", "HTTP", "Locks", "Replay", "TLS",
        ],
        resources: [.copy("Assets")]),
    module(
        "Archive",
        [
            "Domain", "Encodings", "EventLoop", "EventStore", "JSON", "ObjectStorage",
            "Projections", "TLS",
        ]),
    module(
        "Simulator",
        ["Domain", "Encodings", "JSON", "Projections", "HTTP", "EventLoop", "TLS"]),
    module("Terminal", ["Domain", "EventLoop", "JSON", "CBuildInfo"]),
    module(
        "DatabaseAccess",
        ["Domain", "EventLoop", "EventStore", "Postgres", "PostgresStore", "Terminal"]),
    module(
        "ServerClient", ["Domain", "EventLoop", "JSON", "Projections", "Terminal", "WebClient"]),
    module(
        "AppKeys",
        [
            "APNs", "APNsClient", "DatabaseAccess", "Delivery", "DeliveryRules", "Domain",
            "Encodings", "EventLoop", "EventStore", "Explaining", "HTTP", "TLS", "Terminal",
        ]),
    module(
        "Hosting",
        [
            "API", "APNs", "APNsClient", "AppKeys", "DatabaseAccess", "Delivery", "DeliveryRules",
            "Domain", "Encodings", "EventLoop", "EventStore", "HTTP", "JSON", "Pipeline",
            "Postgres", "Simulator", "TLS", "Terminal", "WebClient",
        ]),
    module(
        "Importers", ["API", "Domain", "Encodings", "JSON", "Projections", "TLS", "Terminal"]),
    module(
        "Demo",
        [
            "Domain", "EventLoop", "Explaining", "Hosting", "JSON", "Projections", "ServerClient",
            "Simulator", "Terminal",
        ],
        resources: [.copy("Fixtures")]),
    module(
        "Doctor",
        [
            "APNs", "APNsClient", "AppKeys", "DatabaseAccess", "Domain", "EventLoop", "EventStore",
            "Explaining", "Postgres", "PostgresStore", "TLS", "Terminal",
        ]),
    .executableTarget(
        name: "islet",
        dependencies: [
            "API", "APNs", "APNsClient", "AppKeys", "Archive", "CJemalloc", "DatabaseAccess",
            "Delivery", "DeliveryRules", "Demo", "Doctor", "Domain", "EventLoop", "EventStore",
            "Explaining", "Hosting", "Importers", "JSON", "ObjectStorage", "Pipeline", "Postgres",
            "PostgresStore", "Projections", "Replay", "ServerClient", "Simulator", "TLS",
            "Terminal", "WebClient",
        ],
        swiftSettings: strict),
    // The Swift half of `Benchmarks/run`, with the allocator that `islet` has.
    .executableTarget(
        name: "islet-bench",
        dependencies: ["APNs", "APNsClient", "CJemalloc", "EventLoop", "HTTP", "TLS"],
        path: "Benchmarks/islet-bench", swiftSettings: strict),
]

let testTargets: [Target] = [
    .target(name: "ProjectFiles", path: "Tests/ProjectFiles", swiftSettings: strict),
    .target(
        name: "TestSupport",
        dependencies: [
            "DeliveryRules", "Domain", "EventLoop", "EventStore", "HTTP", "Locks", "Postgres",
            "PostgresStore", "Projections",
        ],
        path: "Tests/TestSupport", swiftSettings: strict),
    // Sees into the store, which only debug builds allow; virtual time is built for release.
    .target(
        name: "StoreTestSupport",
        dependencies: ["Domain", "EventStore", "Postgres", "PostgresStore", "TestSupport"],
        path: "Tests/StoreTestSupport", swiftSettings: strict),
    // An object store in memory, which does what tests want to go wrong.
    .target(
        name: "BucketStandIn", dependencies: ["Encodings", "EventLoop", "HTTP", "TLS"],
        path: "Tests/BucketStandIn", swiftSettings: strict),
    // The kind that docs/how-to/add-an-activity-kind.md adds.
    .target(
        name: "SixthKind", dependencies: ["Domain", "Projections"], path: "Tests/SixthKind",
        swiftSettings: strict),
    // What libFuzzer tries; built with every test, so that none is forgotten when code moves.
    .target(
        name: "FuzzTargets",
        dependencies: [
            "API", "Archive", "Domain", "EventStore", "HTTP", "JSON", "Projections",
        ],
        path: "Tests/FuzzTargets", swiftSettings: strict),
    tests("FuzzTargetsTests", ["FuzzTargets"]),
    // Everything from intake to phones on one thread, whose time and chance come from a seed.
    .target(
        name: "VirtualTime",
        dependencies: [
            "APNs", "Delivery", "DeliveryRules", "Domain", "EventLoop", "EventStore", "HTTP",
            "Pipeline", "Projections", "Simulator", "TestSupport",
        ],
        path: "Tests/VirtualTime", swiftSettings: strict),
    .executableTarget(
        name: "islet-simulate", dependencies: ["CJemalloc", "Domain", "EventLoop", "VirtualTime"],
        path: "Tests/islet-simulate", swiftSettings: strict),
    tests(
        "VirtualTimeTests",
        [
            "DeliveryRules", "Domain", "EventStore", "Postgres", "PostgresStore", "TestSupport",
            "VirtualTime",
        ]),
    tests("DomainTests", ["Domain", "JSON", "Projections", "TestSupport"], exclude: ["Golden"]),
    tests(
        "ProjectionsTests",
        [
            "DeliveryRules", "Domain", "IsletActivities", "JSON", "Projections", "SixthKind",
            "TestSupport",
        ],
        exclude: ["Fixtures", "Golden"]),
    tests("ExplainingTests", ["Domain", "EventStore", "Explaining"]),
    tests("CompressionTests", ["Compression"]),
    tests("EncodingsTests", ["Encodings", "TestSupport"]),
    tests("JSONTests", ["Domain", "JSON", "TestSupport"]),
    tests("IsletActivitiesTests", ["IsletActivities"]),
    tests("IsletClientTests", ["IsletActivities", "IsletClient"]),
    tests("APNsTests", ["APNs", "Encodings", "TestSupport"], exclude: ["Golden"]),
    tests(
        "DeliveryRulesTests",
        ["APNs", "DeliveryRules", "Domain", "JSON", "Projections", "TLS", "TestSupport"]),
    tests("LocksTests", ["Locks", "TestSupport"]),
    tests("EventLoopTests", ["EventLoop", "TestSupport"]),
    tests("TLSTests", ["TLS"]),
    tests(
        "HTTPTests", ["EventLoop", "HTTP", "TLS", "TestSupport"], exclude: ["HTTP2/Flooder.py"]),
    tests("WebClientTests", ["EventLoop", "HTTP", "TLS", "TestSupport", "WebClient"]),
    tests("ObjectStorageTests", ["BucketStandIn", "EventLoop", "ObjectStorage"]),
    tests(
        "APNsClientTests",
        ["APNs", "APNsClient", "Encodings", "EventLoop", "HTTP", "TLS", "TestSupport"],
        exclude: ["Strict"]),
    tests("PostgresTests", ["EventLoop", "Postgres", "TestSupport"]),
    tests("EventStoreTests", ["Domain", "EventStore", "Locks", "TestSupport"]),
    tests(
        "PostgresStoreTests",
        [
            "DeliveryRules", "Domain", "EventLoop", "EventStore", "Pipeline", "Postgres",
            "PostgresStore", "StoreTestSupport", "TestSupport",
        ]),
    tests(
        "PipelineTests",
        [
            "DeliveryRules", "Domain", "EventLoop", "EventStore", "Locks", "Pipeline", "Postgres",
            "PostgresStore", "Projections", "Replay", "StoreTestSupport", "TestSupport",
        ]),
    tests(
        "APITests",
        [
            "API", "Compression", "DeliveryRules", "Domain", "EventLoop", "EventStore", "HTTP",
            "JSON", "Pipeline", "Postgres", "PostgresStore", "Projections", "TLS", "TestSupport",
        ],
        exclude: ["Browser", "Clients"]),
    tests(
        "DeliveryTests",
        [
            "APNs", "Delivery", "Domain", "EventLoop", "EventStore", "Explaining", "JSON",
            "Pipeline", "Postgres", "PostgresStore", "DeliveryRules", "TLS", "StoreTestSupport",
            "TestSupport",
        ], exclude: ["Golden"]),
    tests(
        "SimulatorTests",
        ["Domain", "EventLoop", "HTTP", "JSON", "Projections", "Simulator", "TLS", "TestSupport"],
        exclude: ["Conformance"]),
    tests(
        "ReplayTests",
        [
            "Domain", "EventStore", "Explaining", "Pipeline", "Postgres", "PostgresStore",
            "Projections", "Replay", "StoreTestSupport", "TestSupport",
        ]),
    tests(
        "ArchiveTests",
        [
            "Archive", "BucketStandIn", "Domain", "EventLoop", "EventStore", "JSON",
            "ObjectStorage", "Pipeline", "Postgres", "PostgresStore", "Projections", "Replay",
            "StoreTestSupport", "TestSupport",
        ], exclude: ["Foreign"]),
    tests(
        "SafetyTests",
        [
            "Domain", "EventLoop", "EventStore", "HTTP", "Hosting", "Postgres", "PostgresStore",
            "Simulator",
            "TestSupport", "islet",
        ]),
    tests("TerminalTests", ["EventLoop", "Terminal"]),
    tests(
        "DoctorTests",
        [
            "AppKeys", "DatabaseAccess", "Doctor", "Domain", "EventStore", "PostgresStore",
            "TLS", "Terminal",
        ]),
    tests(
        "DemoTests",
        [
            "Demo", "Domain", "EventLoop", "HTTP", "JSON", "Projections", "ServerClient",
            "Simulator", "Terminal",
        ]),
    tests("ServerClientTests", ["EventLoop", "HTTP", "ServerClient", "Terminal"]),
    tests(
        "DatabaseAccessTests",
        [
            "DatabaseAccess", "Domain", "EventLoop", "EventStore", "Postgres", "PostgresStore",
            "Terminal",
        ]),
    tests(
        "AppKeysTests",
        [
            "APNs", "APNsClient", "AppKeys", "Delivery", "DeliveryRules", "Domain", "EventLoop",
            "EventStore", "HTTP", "Pipeline", "Postgres", "Simulator", "TLS", "Terminal",
            "TestSupport",
        ]),
    tests(
        "HostingTests",
        [
            "API", "APNs", "APNsClient", "Delivery", "DeliveryRules", "Domain", "EventLoop",
            "EventStore", "HTTP", "Hosting", "JSON", "Locks", "Pipeline", "Simulator", "TLS",
            "Terminal",
        ]),
    tests(
        "ImportersTests",
        ["Domain", "Importers", "JSON", "Projections", "Terminal", "TestSupport", "islet"],
        exclude: ["Fixtures"]),
    tests(
        "IsletTests",
        [
            "API", "Archive", "DeliveryRules", "Domain", "EventLoop", "EventStore", "Explaining",
            "HTTP", "Hosting", "JSON", "Postgres", "PostgresStore", "Replay", "ServerClient",
            "Terminal", "islet",
        ]),
    tests(
        "EndToEndTests",
        [
            "API", "APNs", "APNsClient", "AppKeys", "Delivery", "Domain", "EventLoop",
            "EventStore", "HTTP", "IsletActivities", "IsletClient", "Pipeline", "Postgres",
            "PostgresStore", "Projections", "Simulator", "StoreTestSupport", "TLS", "TestSupport",
            "WebClient", "islet",
        ]),
    tests("PizzaAppTests", [], exclude: ["Stubs"]),
    tests("TidyTests", []),
]

/// For `make fuzz` alone: libFuzzer goes with no ordinary build. See Tests/FuzzParsers/build.
let fuzzing: [Target] =
    Context.environment["ISLET_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "islet-fuzz",
            dependencies: ["FuzzTargets"], path: "Tests/FuzzParsers",
            exclude: ["Corpus", "build", "run"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    ]

let package = Package(
    name: "islet",
    // What the libraries for apps need; the server runs on Linux.
    platforms: [.iOS("16.2"), .macOS(.v13)],
    products: [
        .executable(name: "islet", targets: ["islet"]),
        .library(name: "IsletActivities", targets: ["IsletActivities"]),
        .library(name: "IsletClient", targets: ["IsletClient"]),
    ],
    targets: libraries + modules + testTargets + fuzzing,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17)
