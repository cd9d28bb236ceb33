Feature: Cart

  Scenario: Adding
    Then 1 and 1 make 2

  Scenario: Adding $(touch breach) [é]
    Then 1 and 2 make 3

  Scenario: Subtracting
    Then 2 and -1 make 0

  Scenario: Taking
    Then nobody knows this step

  Scenario: Dividing
    Then it is for later

  Scenario Outline: Counting
    Then <a> and 0 make <a>

    @few
    Examples: few
      | a |
      | 1 |

    @many
    Examples: many
      | a |
      | 9 |
