/// The containers of the outermost objects of an encoder's last events.
///
/// What Swift makes of a container costs the runtime more than encoding a few fields: it looks for three types and a
/// conformance, and allocates. All events of a type get the same, since what theirs is about is the same as well: an object
/// that is the first value.
///
/// The containers refer to their encoder, so they have to be let go one day.
final class KeptContainers {
  private class Kept {}

  private final class KeptContainer<Key: CodingKey>: Kept {
    let container: KeyedEncodingContainer<Key>

    init(_ container: KeyedEncodingContainer<Key>) {
      self.container = container
    }
  }

  /// An object, so that a look at it need not make sure that nobody changes an array meanwhile.
  private final class Place {
    var key: ObjectIdentifier?
    var kept: Kept?
  }

  /// A power of two. A type whose place another has takes it over.
  private static let count = 16
  private let places = (0..<KeptContainers.count).map { _ in Place() }

  /// The container for `encoder`'s outermost objects with keys of type `Key`.
  func container<Key: CodingKey>(of encoder: PayloadEncoder) -> KeyedEncodingContainer<Key> {
    let key = ObjectIdentifier(Key.self)
    // What describes a type is at an address that is a multiple of eight at least.
    let index = (UInt(bitPattern: key) >> 3) % UInt(Self.count)
    let place = places[Int(index)]
    if place.key == key, let kept = place.kept {
      // Nobody else makes an entry: what is there for this key is of this type.
      return unsafe unsafeDowncast(kept, to: KeptContainer<Key>.self).container
    }
    let container = KeyedEncodingContainer(PayloadObject<Key>(encoder, depth: 0, slot: 0))
    (place.key, place.kept) = (key, KeptContainer(container))
    return container
  }

  func removeAll() {
    for place in places { (place.key, place.kept) = (nil, nil) }
  }
}
