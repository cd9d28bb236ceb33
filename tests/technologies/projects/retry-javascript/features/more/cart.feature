Feature: More

  Scenario: shelf
    When "more opens a.c" runs
