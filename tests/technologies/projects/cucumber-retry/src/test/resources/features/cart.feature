Feature: Cart

  Scenario: Adding 0
    Then adds-0 passes in execution 1

  Scenario: Adding 1
    Then adds-1 passes in execution 1

  Scenario: Adding 2
    Then adds-2 passes in execution 1

  Scenario: Adding 3
    Then adds-3 passes in execution 1

  Scenario: Adding 4
    Then adds-4 passes in execution 1

  Scenario: Adding 5
    Then adds-5 passes in execution 1

  Scenario: Adding 6
    Then adds-6 passes in execution 1

  Scenario: Adding 7
    Then adds-7 passes in execution 1

  Scenario: Taking *?[$(touch breach)] 'é", all
    Then takes passes in execution 2

  Scenario: Taking *?[$(touch breach)] 'é", al
    Then adds-8 passes in execution 1
