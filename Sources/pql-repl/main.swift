print(helpText())
