let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 2, arguments[0] == Program.demoAppArgument {
  try Program.runDemoApp(arguments[1])
} else {
  endQuietlyWhenOutputCloses()
  end(
    Program.run(
      arguments, output: Output(descriptor: 1, isBuffered: true),
      errors: Output(descriptor: 2, isBuffered: false)))
}
