*** Settings ***
Library    ../Executions.py

*** Test Cases ***
Adds
    Ran    adds-0

Adds 1
    Ran    adds-1

Adds 2
    Ran    adds-2

Adds 3
    Ran    adds-3

Adds 4
    Ran    adds-4

Adds 5
    Ran    adds-5

Adds 6
    Ran    adds-6

Adds 7
    Ran    adds-7

Adds 8
    Ran    adds-8

Adds 9
    Ran    adds-9

Adds 10
    Ran    adds-10

Takes *?[$(touch breach)] of 'é"
    ${number}    Ran    takes
    Should Be True    ${number} > 1    the shelf is empty

Opens -- or not
    ${number}    Ran    opens
    Should Be True    ${number} > 1    the shop is still closed
