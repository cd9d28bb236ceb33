Feature: Cart

  Scenario: opens a.c
    When "opens a.c" runs

  Scenario Outline: takes
    When <title> runs

    Examples:
      | title                                 |
      | "takes"                               |
      | 'takes $(touch breach) "[é]" \| 50%'  |
      | "takes $"                             |
      | "takes $(touch breach)"               |
      | 'takes "[é]"'                         |

  Scenario Outline: <title>
    When "<title>" runs

    Examples:
      | title                       |
      | it's `touch breach` (1+1)?^$ |
      | it's                        |
      | it's 11                     |
      | opens                       |
      | opens abc                   |
      | Opens a.c!                  |
      | also opens a.c              |
      | a.c                         |

  Rule: opens
    Scenario: opens a.c d
      When "opens a.c d" runs

    Scenario: é
      When "é" runs

    Scenario: cart
      When "cart" runs

    Scenario: 50%
      When "50%" runs

    Scenario: adds
      When "adds" runs

    Scenario: adds 2
      When "adds 2" runs
