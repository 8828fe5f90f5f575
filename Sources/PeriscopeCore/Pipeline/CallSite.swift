/// Where in the program a record was logged.
package struct CallSite: Sendable {
  package let function: String
  package let file: String
  package let line: Int

  package init(function: String, file: String, line: Int) {
    self.function = function
    self.file = file
    self.line = line
  }
}
