"""What each command does; `quiz.cli` declares how it is typed."""
