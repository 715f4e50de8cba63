"""What four papers report, measured again: a module, a result file and a page for each."""
