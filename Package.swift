// swift-tools-version: 6.2
import PackageDescription

/// One set of settings for every target: the strictest that the toolchain offers.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    // Exclusive access is checked while building and in every debug run and test; checking it again in each callback
    // of a release costs a twentieth of a small transfer.
    .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

let package = Package(
    name: "runner",
    products: [
        .executable(name: "runner", targets: ["runner"])
    ],
    // Exact versions, and no Package.resolved in the repository: that has ids of commits, which differ between a
    // project and its mirrors, so that a clone could not be built behind another mirror than this one's.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    ],
    targets: [
        // Layer 0: C.
        .target(name: "CArchive", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CCurl", dependencies: ["CZlib"], linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CIDN", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CPCRE", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CPAC", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CPSL", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CSystem"),
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("dl")]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),

        // Layer 1: values and the operating system.
        .target(name: "JSON", dependencies: ["SystemKit"], swiftSettings: strict),
        .target(
            name: "Diagnostics",
            dependencies: ["JSON", "SystemKit"],
            swiftSettings: strict
        ),
        .target(
            name: "TransferModel",
            dependencies: ["JSON", "SystemKit"],
            swiftSettings: strict
        ),
        .target(
            name: "SystemKit",
            dependencies: ["CArchive", "CIDN", "CPAC", "CPSL", "CSystem", "CZlib"],
            swiftSettings: strict
        ),

        // Layer 2: one outside world each.
        .target(
            name: "JobFile",
            dependencies: ["CYAML", "Diagnostics", "SystemKit"],
            swiftSettings: strict
        ),
        .target(
            name: "CurlKit",
            dependencies: ["CCurl", "SystemKit"],
            swiftSettings: strict
        ),

        .target(
            name: "NetworkPath",
            dependencies: ["TransferModel", "JSON", "SystemKit"],
            swiftSettings: strict
        ),
        .target(name: "RegexKit", dependencies: ["CPCRE"], swiftSettings: strict),
        .target(
            name: "Cookies",
            dependencies: ["TransferModel", "JSON", "SystemKit"],
            swiftSettings: strict
        ),

        .target(
            name: "HTTPCache",
            dependencies: ["TransferModel", "SystemKit"],
            swiftSettings: strict
        ),

        .target(
            name: "WebSockets",
            dependencies: ["TransferModel", "SystemKit"],
            swiftSettings: strict
        ),

        .target(
            name: "ProtocolPrograms",
            dependencies: ["TransferModel", "JSON", "SystemKit"],
            swiftSettings: strict
        ),

        // Layer 3: what to do, and how to do one of it.
        .target(
            name: "Plan",
            dependencies: [
                "JobFile", "Diagnostics", "RegexKit", "TransferModel", "JSON", "SystemKit",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Transfer",
            dependencies: [
                "Cookies", "CurlKit", "HTTPCache", "NetworkPath", "RegexKit", "SystemKit",
                "TransferModel",
                "JSON", "ProtocolPrograms", "WebSockets",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "Journal",
            dependencies: ["SystemKit", "TransferModel"],
            swiftSettings: strict
        ),

        // Layer 4: all of it, and what is told about it.
        .target(
            name: "Scheduler",
            dependencies: [
                "Plan", "Transfer", "TransferModel", "SystemKit",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Report",
            dependencies: ["TransferModel", "SystemKit", "JSON"],
            swiftSettings: strict
        ),

        // Layer 5: the command.
        .executableTarget(
            name: "runner",
            dependencies: [
                "Diagnostics", "JobFile", "Plan", "Transfer", "Journal", "Scheduler", "Report",
                "Cookies", "CurlKit", "HTTPCache", "NetworkPath", "ProtocolPrograms", "RegexKit",
                "TransferModel",
                "SystemKit",
                "JSON",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),

        // What only tests need.
        .target(
            name: "TestSupport",
            dependencies: ["TransferModel", "Diagnostics", "SystemKit", "JSON"],
            exclude: ["Programs"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "job-fuzz",
            dependencies: [
                "Diagnostics", "JSON", "JobFile", "Plan", "RegexKit", "SystemKit", "TestSupport",
                "TransferModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Fuzzing/Jobs",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "frame-fuzz",
            dependencies: [
                "SystemKit", "TestSupport", "WebSockets",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Fuzzing/Frames",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "program-fuzz",
            dependencies: [
                "JSON", "ProtocolPrograms", "SystemKit", "TestSupport", "TransferModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Fuzzing/Programs",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "reply-fuzz",
            dependencies: [
                "SystemKit", "TestSupport", "Transfer", "TransferModel",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Fuzzing/Replies",
            swiftSettings: strict
        ),
        .testTarget(
            name: "TestSupportTests",
            dependencies: ["TestSupport", "SystemKit", "TransferModel"],
            swiftSettings: strict
        ),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
        .testTarget(
            name: "DiagnosticsTests",
            dependencies: ["Diagnostics", "JSON", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TransferModelTests",
            dependencies: ["TransferModel", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SystemKitTests",
            dependencies: ["SystemKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "JobFileTests",
            dependencies: ["JobFile", "Diagnostics", "TestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NetworkPathTests",
            dependencies: ["NetworkPath", "TransferModel", "JSON", "SystemKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(name: "RegexKitTests", dependencies: ["RegexKit"], swiftSettings: strict),
        .testTarget(
            name: "CookiesTests",
            dependencies: ["Cookies", "TransferModel", "SystemKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "HTTPCacheTests",
            dependencies: ["HTTPCache", "TransferModel", "SystemKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WebSocketsTests",
            dependencies: ["WebSockets", "TransferModel", "SystemKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProtocolProgramsTests",
            dependencies: ["ProtocolPrograms", "JSON", "TransferModel", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PlanTests",
            dependencies: [
                "Plan", "JobFile", "Diagnostics", "RegexKit", "TransferModel", "JSON", "SystemKit",
                "TestSupport",
            ],
            exclude: ["Fixtures", "Valid"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TransferTests",
            dependencies: [
                "Transfer", "Cookies", "CurlKit", "HTTPCache", "NetworkPath", "TransferModel",
                "SystemKit", "JSON", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "JournalTests",
            dependencies: ["Journal", "SystemKit", "TransferModel", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SchedulerTests",
            dependencies: [
                "Scheduler", "Plan", "Transfer", "TransferModel", "SystemKit", "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ReportTests",
            dependencies: ["Report", "TransferModel", "SystemKit", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "RunnerTests",
            dependencies: ["runner", "TransferModel", "SystemKit", "TestSupport"],
            exclude: ["FailureLines"],
            swiftSettings: strict
        ),
    ]
)
