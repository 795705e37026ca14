import Testing
import TransferModel

@testable import HTTPCache

// RFC 9111 §5.2
@Suite struct CacheControlTests {
    private func control(_ values: String...) -> CacheControl {
        CacheControl(headerFields(values.map { "Cache-Control: \($0)" }))
    }

    @Test(
        arguments: [
            ("max-age=3600", 3600), ("MaX-aGe=1", 1), ("max-age=\"60\"", 60),
            ("max-age=003600", 3600),
            ("foobar, max-age=5", 5), ("x=\"max-age=9\", max-age=1", 1),
            ("max-age=1800, max-age=1", 1800), ("max-age=2147483649", 1 << 31),
            ("max-age=99999999999999999999", 1 << 31),
        ] as [(String, Int64)]
    )
    func `the number of seconds is read`(value: String, seconds: Int64) {
        #expect(control(value).maxAge == seconds)
    }

    @Test(arguments: [
        "max-age=-3600", "max-age=3600.0", "max-age=a100", "max-age=100a", "max-age", "max-age=",
        "max-age =3600", "max-age= 3600", "max-age='3600'", "max-age=\"60",
    ])
    func `an invalid max-age makes a response stale`(value: String) {
        #expect(control(value).maxAge == 0)
    }

    @Test(arguments: [
        "", "s-maxage=3600", "x-max-age=1", "\"max-age=1\"", "extension=\"max-age=1\"",
    ])
    func `other directives set no maximum age`(value: String) {
        #expect(control(value).maxAge == nil)
    }

    @Test func `directives of several lines count together`() {
        let control = control("No-StOrE", "must-revalidate,,private , public", "immutable")
        #expect(
            control.flags == [.noStore, .mustRevalidate, .isPrivate, .isPublic, .immutable]
        )
    }

    @Test func `no-cache with fields keeps those from being stored and nothing else`() {
        let control = control("no-cache=\"Set-Cookie, X-a\", max-age=1")
        #expect(control.flags.isEmpty)
        #expect(control.noCacheFields == ["set-cookie", "x-a"])
        #expect(control.maxAge == 1)
    }

    @Test func `max-stale without a number takes any`() {
        #expect(CacheControl(request: fields(["Cache-Control: max-stale"])).maxStale == .max)
        #expect(CacheControl(request: fields(["cache-control: max-stale=5"])).maxStale == 5)
        #expect(CacheControl(request: fields(["cache-control: max-stale=x"])).maxStale == nil)
    }

    @Test func `Pragma counts where there is no Cache-Control`() {
        #expect(CacheControl(request: fields(["Pragma: no-cache"])).flags == .noCache)
        let both = fields(["Pragma: no-cache", "Cache-Control: max-age=1"])
        #expect(CacheControl(request: both).flags == [])
        #expect(CacheControl(headerFields(["Pragma: no-cache"])).flags == [])
    }
}
