import JournalKit
import Testing

@Suite struct NumberStackTests {
  @Test func numbersComeBackInTheirPlaces() {
    let stack = NumberStack()
    for number in 0..<1_000 { stack.push(UInt64(number * number)) }
    #expect(stack.count == 1_000)
    for number in 0..<1_000 { #expect(stack[number] == UInt64(number * number)) }
    stack[500] = 7
    stack.shrink(to: 501)
    stack.push(8)
    #expect(stack.count == 502 && stack[500] == 7 && stack[501] == 8 && stack[499] == 249_001)
  }

  @Test func whatIsBelowIsNotLookedAt() {
    let stack = NumberStack()
    for number in [3, 1, 4, 1, 5] as [UInt64] { stack.push(number) }
    #expect(stack.contains(4, from: 2) && !stack.contains(4, from: 3))
    #expect(stack.contains(5, from: 0) && !stack.contains(5, from: 5))
    stack.shrink(to: 2)
    #expect(!stack.contains(4, from: 0))
  }
}
