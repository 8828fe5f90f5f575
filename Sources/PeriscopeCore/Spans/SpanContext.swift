import SegmentIndex

/// The span that the running code is measured by. Tasks that are started meanwhile inherit it.
struct SpanContext: Sendable {
  let span: UniqueID
  /// Whose span it is.
  let owner: ObjectIdentifier

  @TaskLocal static var current: SpanContext?
}
