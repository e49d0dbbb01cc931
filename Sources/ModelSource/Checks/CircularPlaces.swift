/// The places of a directed graph from which a way leads back to themselves, found in linear time without recursion
/// (Tarjan's strongly connected components).
struct CircularPlaces {
  /// The places on cycles.
  private(set) var places: Set<Int> = []

  private let next: [[Int]]
  /// The order in which a place was reached; 0 if it wasn't yet.
  private var turns: [Int]
  /// The earliest place on the stack that is known to be reachable from a place, as its turn.
  private var earliest: [Int]
  private var isOnStack: [Bool]
  private var stack: [Int] = []
  private var turn = 0

  /// - Parameter next: for each place, those it leads to.
  init(in next: [[Int]]) {
    self.next = next
    turns = Array(repeating: 0, count: next.count)
    earliest = turns
    isOnStack = Array(repeating: false, count: next.count)
    for place in next.indices where turns[place] == 0 { search(from: place) }
  }

  private mutating func search(from start: Int) {
    var path: [(place: Int, following: Int)] = [(start, 0)]
    reach(start)
    while let (place, following) = path.last {
      guard following < next[place].count else {
        path.removeLast()
        if let before = path.last?.place {
          earliest[before] = min(earliest[before], earliest[place])
        }
        if earliest[place] == turns[place] { closeComponent(at: place) }
        continue
      }
      path[path.count - 1].following += 1
      let target = next[place][following]
      if turns[target] == 0 {
        reach(target)
        path.append((target, 0))
      } else if isOnStack[target] {
        earliest[place] = min(earliest[place], turns[target])
      }
    }
  }

  private mutating func reach(_ place: Int) {
    turn += 1
    (turns[place], earliest[place], isOnStack[place]) = (turn, turn, true)
    stack.append(place)
  }

  /// Takes the places of a component from the stack: each of them leads to the others.
  private mutating func closeComponent(at root: Int) {
    var component: [Int] = []
    repeat {
      component.append(stack.removeLast())
      isOnStack[component[component.count - 1]] = false
    } while component.last != root
    if component.count > 1 || next[root].contains(root) { places.formUnion(component) }
  }
}
