*** Test Cases ***
Adds
    Should Be Equal As Integers    ${{ 1 + 1 }}    2
