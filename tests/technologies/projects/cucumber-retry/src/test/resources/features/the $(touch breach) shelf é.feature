Feature: Shelf

  Scenario: Adding 0
    Then adds-11 passes in execution 1

  Scenario: Adding 1
    Then adds-12 passes in execution 1

  Scenario: Adding 2
    Then adds-13 passes in execution 1

  Scenario: Adding 3
    Then adds-14 passes in execution 1

  Scenario: Adding 4
    Then adds-15 passes in execution 1

  Scenario: Adding 5
    Then adds-16 passes in execution 1

  Scenario: Adding 8
    Then holds passes in execution 2
