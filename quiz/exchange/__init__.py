"""Cards in and out: study sheets in Markdown, tables, Anki's files; what comes in becomes a deck of the learner's own."""
