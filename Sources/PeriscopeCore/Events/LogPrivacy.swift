/// Whether a value in a message may be read by others.
public enum LogPrivacy: Sendable {
  /// The value is logged as it is.
  case `public`
  /// `<private>` is logged in its place: the value itself reaches no sink and no file.
  case `private`
  /// `<private 5e0c90…>` is logged in its place: the same for the same value as long as the process lives, so that
  /// records can be told apart and joined. What it was cannot be found out from the log; another process has other
  /// digits for the same value.
  case hash
}
