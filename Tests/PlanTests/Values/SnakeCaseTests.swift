import Testing

@testable import Plan

/// The expected names are those of JSONEncoder of Swift 6.3.
@Suite struct SnakeCaseTests {
    @Test(arguments: [
        ("myProperty", "my_property"), ("myURLProperty", "my_url_property"), ("simple", "simple"),
        ("a", "a"), ("A", "a"), ("", ""), ("_", "_"), ("__", "__"), ("_myKey", "_my_key"),
        ("myKey_", "my_key_"), ("__myKey__", "__my_key__"), ("oneTwoThree", "one_two_three"),
        ("one2Three", "one2_three"), ("ABC", "a_bc"), ("ABCd", "a_b_cd"), ("aBC", "a_bc"),
        ("aB", "a_b"), ("HTTPServer", "h_ttp_server"), ("URL", "u_rl"), ("someURL", "some_url"),
        ("myURLs", "my_ur_ls"), ("_a_B_c", "_a__b__c"), ("snake_case", "snake_case"),
        ("Already_Snake", "already__snake"), ("étéÉté", "été_été"), ("ÀBc", "à_bc"), ("ß", "ß"),
        ("AßB", "aß_b"), ("straßeÜber", "straße_über"), ("aBCDeFG", "a_bc_de_fg"),
        ("a1B2", "a1_b2"), ("item-ID", "item-_id"), ("x y Z", "x y _z"), ("Aa", "aa"),
        ("aA", "a_a"), ("aAA", "a_aa"), ("AAa", "a_aa"), ("AAAa", "a_a_aa"), ("_A", "__a"),
        ("_AB", "__ab"), ("_aB_", "_a_b_"), ("a.B", "a._b"), ("ΑΒγ", "α_βγ"),
        ("myǅKey", "my_ǆ_key"), ("1A", "1_a"), ("1a", "1a"), ("A1", "a1"), ("日本Key", "日本_key"),
        ("iPhone", "i_phone"), ("IPAddress", "i_p_address"), ("ID", "i_d"), ("id", "id"),
        ("IDs", "i_ds"), ("e\u{301}A", "e\u{301}_a"), ("aİ", "a_i̇"),
    ])
    func `a key is split where JSONEncoder splits it`(key: String, converted: String) {
        #expect(SnakeCase.convert(key) == converted)
    }
}
