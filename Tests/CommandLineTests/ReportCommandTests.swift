import Foundation
import TestSupport
import Testing

struct ReportCommandTests {
  private func page(_ path: URL) throws -> String { try String(contentsOf: path, encoding: .utf8) }

  @Test func aModelGivesOnePage() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      let output = folder.appendingPathComponent("report.html")
      let outcome = try Tool.run("report", "Shop.xcdatamodel", "-o", "report.html", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.isEmpty)
      let html = try page(output)
      #expect(html.hasPrefix("<!DOCTYPE html>\n"))
      #expect(html.contains("<title>Shop.xcdatamodel</title>"))
      #expect(html.contains("\"name\":\"Customer\""))
      // The page contains neither the location of the input nor the time.
      #expect(!html.contains(folder.path))
      let again = try Tool.run("report", "Shop.xcdatamodel", "-o", "-", in: folder)
      #expect(again.output == Data(html.utf8))
    }
  }

  @Test func versionsAreThoseOfABundleOrOfSeveralInputs() throws {
    try Tool.withTemporaryFolder { folder in
      let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
      try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
      try ShopSource.write(into: bundle, named: "Shop")
      try ShopSource.write(into: bundle, named: "Shop 2")
      let whole = try Tool.run("report", "Shop.xcdatamodeld", "-o", "-", in: folder)
      #expect(whole.status == 0, "\(whole.errors)")
      #expect(whole.text.contains("\"names\":[\"Shop\",\"Shop 2\"]"))
      let parts = try Tool.run(
        "report", "Shop.xcdatamodeld@Shop 2", "Shop.xcdatamodeld@Shop", "-o", "-", in: folder)
      #expect(parts.text.contains("\"names\":[\"1 · Shop 2\",\"2 · Shop\"]"), "\(parts.errors)")
    }
  }

  @Test func aStoreIsReadAndNotChanged() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      #expect(
        try Tool.run("store", "create", "Shop.xcdatamodel", "Shop.sqlite", in: folder).status == 0)
      let file = folder.appendingPathComponent("Shop.sqlite")
      let before = try Data(contentsOf: file)
      let outcome = try Tool.run("report", "Shop.sqlite", "-o", "-", "--title", "Mine", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.text.contains("<title>Mine</title>"))
      #expect(outcome.text.contains("\"fileBytes\""))
      #expect(try Data(contentsOf: file) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          == ["Shop.sqlite", "Shop.xcdatamodel"])
    }
  }

  @Test func pagesDontTakeThePlaceOfFolders() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("out.html"), withIntermediateDirectories: true)
      let outcome = try Tool.run("report", "Shop.xcdatamodel", "-o", "out.html", in: folder)
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("out.html: error: "))
    }
  }

  @Test func openingNeedsAProgram() throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      let without = try Tool.run(
        "report", "Shop.xcdatamodel", "-o", "a.html", "--open", environment: ["PATH": "/nowhere"],
        in: folder)
      #expect(without.status == 2)
      #expect(without.errors.contains("apt-get install xdg-utils"))
      let opener = folder.appendingPathComponent("xdg-open")
      try Data("#!/bin/sh\necho \"$1\" > \"${0%/*}/opened\"\n".utf8).write(to: opener)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: opener.path)
      let with = try Tool.run(
        "report", "Shop.xcdatamodel", "-o", "a.html", "--open",
        environment: ["PATH": folder.path], in: folder)
      #expect(with.status == 0, "\(with.errors)")
      let opened = try page(folder.appendingPathComponent("opened"))
      #expect(opened.hasSuffix("/a.html\n"))
    }
  }

  @Test func whatIsNoModelIsRefused() throws {
    try Tool.withTemporaryFolder { folder in
      try Data("hello".utf8).write(to: folder.appendingPathComponent("X.mom"))
      let outcome = try Tool.run("report", "X.mom", "-o", "x.html", in: folder)
      #expect(outcome.status == 2)
      #expect(outcome.errors.hasPrefix("X.mom"))
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("x.html").path))
    }
  }
}
