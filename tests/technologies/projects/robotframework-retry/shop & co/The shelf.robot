*** Settings ***
Library    ../Executions.py

*** Test Cases ***
Takes all of é
    Ran    adds-11

Takes
    Ran    adds-12

Opens
    Ran    adds-13

Holds a
    Ran    adds-14

Holds aa
    Ran    adds-15

Holds ab
    Ran    adds-16

Holds [a]*; touch breach
    ${number}    Ran    holds
    Should Be True    ${number} > 1    the shelf is empty
