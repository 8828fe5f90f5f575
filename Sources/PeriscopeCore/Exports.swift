// A program that logs and asks imports this module alone: the record's vocabulary (`LogLevel`,
// `LogTagValue`, `Record`, ...) and the query language's are part of what it promises.
@_exported public import PQL
@_exported public import SegmentIndex
