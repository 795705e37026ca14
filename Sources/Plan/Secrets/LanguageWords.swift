/// The words of the job file's language: its keys, and the values that some of them choose from.
enum LanguageWords {
    /// Made when something is wrong with a file, from the tables that read it.
    static let all: Set<String> = {
        var words: Set<String> = []
        var tables: Set<String> = []
        add(.mapping(JobTable.table.keys), to: &words, &tables)
        return words
    }()

    private static func add(
        _ shape: Shape,
        to words: inout Set<String>,
        _ tables: inout Set<String>
    ) {
        switch shape {
        case .choice(let choices): words.formUnion(choices)
        case .either(let one, let other):
            add(one, to: &words, &tables)
            add(other, to: &words, &tables)
        case .list(let element), .nonEmptyList(let element), .tuple(let element, _),
            .oneOrMore(let element), .named(let element, _, _), .someNamed(let element, _):
            add(element, to: &words, &tables)
        case .mapping(let table): add(table, to: &words, &tables)
        case .variants(_, let variants):
            for table in variants { add(table, to: &words, &tables) }
        case .text, .credential, .boolean, .integer, .number, .scalar, .anything: break
        }
    }

    private static func add(
        _ table: KeyTable,
        to words: inout Set<String>,
        _ tables: inout Set<String>
    ) {
        guard tables.insert("\(table.name) \(table.names)").inserted else { return }
        for key in table.keys {
            words.insert(key.name)
            if let shape = key.shape { add(shape, to: &words, &tables) }
        }
    }
}
