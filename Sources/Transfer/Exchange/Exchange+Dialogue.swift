internal import TransferModel

extension Exchange: ConversationHost {
    var clock: RunClock { context.clock }
}
