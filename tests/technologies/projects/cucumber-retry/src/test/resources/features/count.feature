Feature: Counting

  Scenario Outline: Counting
    Then <what> passes in execution <least>

    Examples: few
      | what   | least |
      | adds-9 | 1     |
      | counts | 2     |

    Examples: many
      | what    | least |
      | adds-10 | 1     |
