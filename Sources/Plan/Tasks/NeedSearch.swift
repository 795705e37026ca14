/// Finds out whether tasks need others through others.
///
/// What it finds on the way to one task is kept until another one is looked for, so that asking for many tasks in a
/// row costs no more than asking for one.
struct NeedSearch {
    private let graph: TaskGraph
    /// Needs that are still followed before an answer is no longer worth its time.
    private var stepsLeft: Int
    private var target = -1
    /// Whether a task leads to the target.
    private var answers: [Int: Bool] = [:]

    init(_ graph: TaskGraph, mostSteps: Int = 2_000_000) {
        self.graph = graph
        stepsLeft = mostSteps
    }

    /// Whether `task` needs `target`, directly or not; false also when so much was asked that nobody has looked.
    mutating func leads(from task: Int, to target: Int) -> Bool {
        if target != self.target {
            self.target = target
            answers.removeAll(keepingCapacity: true)
        }
        if let known = answers[task] { return known }
        /// Which task led to each that was met.
        var way: [Int: Int] = [:]
        var open = [task]
        answers[task] = false
        while let current = open.popLast() {
            for need in graph.needs(of: current) {
                guard stepsLeft > 0 else { return false }
                stepsLeft -= 1
                if need == target || answers[need] == true {
                    markWay(to: current, way)
                    return true
                }
                guard answers[need] == nil else { continue }
                answers[need] = false
                way[need] = current
                open.append(need)
            }
        }
        return false
    }

    /// Notes that a task, and each that led to it, leads to the target.
    ///
    /// What was met and is not on the way was perhaps not followed to its end, and is asked for anew.
    private mutating func markWay(to last: Int, _ way: [Int: Int]) {
        for task in way.keys { answers[task] = nil }
        var task: Int? = last
        while let current = task {
            answers[current] = true
            task = way[current]
        }
    }
}
