import PeriscopeCore

/// The app of the demonstration: a shop, logging as an app would, through the public interface
/// alone.
///
/// Orders come in, stock runs low, payments are declined now and then, and the gateway gets slower
/// and slower. It never ends by itself.
struct DemoApp {
  let log: Log<Message>
  /// Told after every `batch` records how many were logged so far. Each of them is durable by then.
  let acknowledge: (Int) -> Void

  static let batch = 50

  struct OrderPlaced: LogEvent {
    static let eventName = "order.placed"
    let order: Int
    let items: [String]
    let cents: Int
    var message: String { "order \(order) placed: \(items.count) items, \(cents) cents" }
    var externalID: String? { "order-\(order)" }
  }

  struct StockLow: LogEvent {
    static let eventName = "stock.low"
    let item: String
    let left: Int
    var level: LogLevel { .warning }
    var message: String { "only \(left) of \(item) left" }
  }

  struct PaymentDeclined: LogEvent {
    static let eventName = "payment.declined"
    let order: Int
    let reason: String
    let gatewayMilliseconds: Int
    var level: LogLevel { .error }
    var message: String { "payment for order \(order) declined: \(reason)" }
  }

  func run() {
    let catalog = log("Catalog")
    let orders = log("Orders").retyped(to: OrderPlaced.self)
    let payments = log("Payments")
    let items = ["lamp", "kettle", "chair", "mirror", "rug", "clock"]
    var random = SystemRandomNumberGenerator()
    var count = 0
    func logged() {
      count += 1
      if count % Self.batch == 0 { acknowledge(count) }
    }

    log.info("the shop is open")
    logged()
    for order in 1... {
      let user = Int.random(in: 1...500, using: &random)
      let basket = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        items[Int.random(in: 0..<items.count, using: &random)]
      }
      catalog.tagged("user", user).debug("showed \(basket[0]) to user \(user)")
      logged()
      orders.tagged("user", user)(
        OrderPlaced(order: order, items: basket, cents: basket.count * 1_990))
      logged()
      if order % 17 == 0 {
        catalog.retyped(to: StockLow.self)(StockLow(item: basket[0], left: order % 3 + 1))
        logged()
      }
      let milliseconds = 80 + order / 4 + Int.random(in: 0..<40, using: &random)
      let payment = payments(for: "order-\(order)").tagged("user", user)
        .tagged("gateway_ms", milliseconds)
      if order % 23 == 0 {
        payment.retyped(to: PaymentDeclined.self)(
          PaymentDeclined(
            order: order, reason: order % 2 == 0 ? "card expired" : "gateway timed out",
            gatewayMilliseconds: milliseconds))
      } else {
        payment.info("order \(order) paid in \(milliseconds) ms")
      }
      logged()
    }
  }
}
