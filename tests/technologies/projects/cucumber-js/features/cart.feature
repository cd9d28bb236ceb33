Feature: Cart

  Scenario: Adding
    When 1 is added to 1
    Then it is 2

  Scenario: Adding $(touch breach) [é]
    When 1 is added to 1
    Then it is 2

  Scenario: Subtracting
    When 1 is added to 1
    Then it is 0

  Scenario: Dividing
    When it is skipped

  Scenario: Shipping
    When nobody wrote this step
