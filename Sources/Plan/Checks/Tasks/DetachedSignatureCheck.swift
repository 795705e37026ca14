internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Finds the files of a signature that nothing makes.
enum DetachedSignatureCheck {
    static func check(_ draft: TaskDraft, at place: TaskPlace, _ reader: inout Reader) {
        // A task that this one needs may make the files.
        guard let signature = draft.signature, let status = reader.fileStatus, draft.needs.isEmpty,
            let node = place.setting("signature")?.value
        else { return }
        for (key, file) in signature.files where status(file.path) == .missing {
            let value = reader.document.value(of: node, for: key)?.value
            place.report(
                .missingFile,
                "`\(key)` of `signature`\(place.context): there is no file `\(file.text)`",
                at: value ?? node,
                help: "if a task of the job fetches it, name that task in `needs`",
                &reader.faults.log
            )
        }
    }
}
