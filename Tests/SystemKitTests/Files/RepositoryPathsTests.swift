import SystemKit
import TestSupport
import Testing

@Suite struct RepositoryPathsTests {
    @Test(arguments: [
        ("job.yaml", "sub/job.yaml"), ("./job.yaml", "sub/job.yaml"),
        ("../job.yaml", "job.yaml"), ("/w/sub//a/../job.yaml", "sub/job.yaml"),
        ("/other/job.yaml", "/other/job.yaml"), ("../../job.yaml", "../../job.yaml"),
        ("../../w2/job.yaml", "../../w2/job.yaml"),
    ])
    func `a file has its path from the root that the service names`(file: String, path: String) {
        for name in ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"] {
            let paths = RepositoryPaths(environment: [name: "/w/"], workingFolder: "/w/sub")
            #expect(paths.path(of: file) == path)
        }
    }

    @Test func `elsewhere the root is the nearest folder with git's own`() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("outer")
        try folder.makeFolder("outer/inner")
        try folder.makeFolder("outer/inner/jobs")
        try folder.makeFolder("outer/.git")
        // A worktree and a submodule have a file of that name.
        try folder.write("gitdir: elsewhere", to: "outer/inner/.git")
        let working = folder.path("outer/inner/jobs")
        let paths = RepositoryPaths(environment: [:], workingFolder: working)
        #expect(paths.path(of: "a.yaml") == "jobs/a.yaml")
        #expect(paths.path(of: "../a.yaml") == "a.yaml")
        #expect(paths.path(of: "../../a.yaml") == "a.yaml")
        #expect(paths.path(of: folder.path("outer/b/a.yaml")) == "b/a.yaml")
    }

    @Test func `without a repository a file has its path from the working folder`() {
        let paths = RepositoryPaths(environment: [:], workingFolder: "/none/sub")
        #expect(paths.path(of: "./a.yaml") == "a.yaml")
        #expect(paths.path(of: "../a.yaml") == "../a.yaml")
        let lost = RepositoryPaths(environment: [:], workingFolder: nil)
        #expect(lost.path(of: "./a.yaml") == "./a.yaml")
    }
}
