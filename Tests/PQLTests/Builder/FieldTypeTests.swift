import PQL
import SegmentIndex
import Testing

/// What the types of fields refuse does not compile.
///
/// A test cannot hold what does not compile. So here stand operators that the compiler takes only where the library
/// has none: `@_disfavoredOverload` puts them behind every other, and what they give is no filter.
@Suite struct FieldTypeTests {
  @Test func unitsAreRequired() {
    #expect(kind(of: QueryField.duration > 2) == "Refused")
    #expect(kind(of: QueryField.duration == 2.5) == "Refused")
    #expect(kind(of: QueryField.duration > .seconds(2)) == "Filter")
  }

  @Test func valuesAreOfTheFieldsType() {
    #expect(kind(of: QueryField.event == 5) == "Refused")
    #expect(kind(of: QueryField.event == "photo.import") == "Filter")
    #expect(kind(of: QueryField.line == "5") == "Refused")
    #expect(kind(of: QueryField.line == 5) == "Filter")
    #expect(kind(of: QueryField.level > "error") == "Refused")
    #expect(kind(of: QueryField.level > .error) == "Filter")
    #expect(kind(of: QueryField.time > 5) == "Refused")
    #expect(kind(of: QueryField.session == "current") == "Refused")
    // Tags and payloads hold anything.
    #expect(kind(of: QueryField.tag("x") == 5) == "Filter")
    #expect(kind(of: QueryField.tag("x") == "5") == "Filter")
  }

  @Test func arithmeticIsOfItsTypes() {
    #expect(kind(of: QueryField.duration + 2) == "Refused")
    #expect(kind(of: QueryField.line + "2") == "Refused")
    #expect(kind(of: QueryField.duration + .seconds(2)) == "QueryComputation<Duration>")
    #expect(kind(of: QueryField.duration / .seconds(2)) == "QueryComputation<Double>")
    #expect(kind(of: QueryField.time - QueryField.sessionStart) == "QueryComputation<Duration>")
    #expect(kind(of: QueryField.line * 2) == "QueryComputation<Int64>")
  }
}

private struct Refused {}

private func kind<Result>(of result: Result) -> String { "\(Result.self)" }

@_disfavoredOverload
private func > <Content>(left: QueryField<Content>, right: some Any) -> Refused { Refused() }

@_disfavoredOverload
private func == <Content>(left: QueryField<Content>, right: some Any) -> Refused { Refused() }

@_disfavoredOverload
private func + <Content>(left: QueryField<Content>, right: some Any) -> Refused { Refused() }
