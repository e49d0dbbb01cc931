import SwiftSyntax

/// Foundation's calls that take a selector and exist only where there is an Objective-C runtime.
struct SelectorCall {
  /// The name, or nil if the labels are enough.
  private var name: String?
  /// Labels that the call has, among others.
  private var labels: [String]
  /// What to do instead.
  private var advice: String

  /// Returns what to do instead of a call, or nil for any other call.
  static func advice(on name: String, labels: [String]) -> String? {
    known.first { call in
      (call.name ?? name) == name && call.labels.allSatisfy(labels.contains)
    }?.advice
  }

  private static let known = [
    SelectorCall(
      labels: ["timeInterval", "target", "selector"],
      advice:
        "timers call no selectors here: use 'scheduledTimer(withTimeInterval:repeats:block:)' "
        + "or 'Timer(timeInterval:repeats:block:)'"),
    SelectorCall(
      labels: ["fireAt", "target", "selector"],
      advice: "timers call no selectors here: use 'Timer(fire:interval:repeats:block:)'"),
    SelectorCall(
      name: "perform", labels: ["afterDelay"],
      advice: "objects perform no selectors later here: call the method in "
        + "'DispatchQueue.main.asyncAfter(deadline:execute:)'"),
    SelectorCall(
      name: "cancelPreviousPerformRequests", labels: [],
      advice: "objects perform no selectors later here: cancel the 'DispatchWorkItem' that calls "
        + "the method"),
    SelectorCall(
      name: "performSelector", labels: ["onMainThread"],
      advice: "call the method in 'DispatchQueue.main.async(execute:)'"),
    SelectorCall(
      name: "performSelector", labels: ["inBackground"],
      advice: "call the method in 'DispatchQueue.global().async(execute:)'"),
    SelectorCall(
      name: "perform", labels: ["on", "waitUntilDone"],
      advice: "threads perform no selectors here: call the method in a block of the thread's queue "
        + "or run loop"),
    SelectorCall(
      name: "perform", labels: ["target", "argument", "order"],
      advice: "run loops perform no selectors here: use 'perform(_:)' with a block"),
    SelectorCall(
      name: "Thread", labels: ["target", "selector"],
      advice: "threads perform no selectors here: use 'Thread(block:)'"),
    SelectorCall(
      name: "detachNewThreadSelector", labels: [],
      advice: "threads perform no selectors here: use 'Thread.detachNewThread(_:)'"),
    SelectorCall(
      name: "registerUndo", labels: ["selector"],
      advice: "undo managers call no selectors here: use 'registerUndo(withTarget:handler:)'"),
  ]
}

extension FunctionCallExprSyntax {
  /// The name of the function called, without what it is called on.
  var calledName: String? {
    calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
      ?? calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
  }
}
