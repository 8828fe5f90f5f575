import JournalKit
